"""The addresses of the repository and of the site come from the environment; without them the links are absent."""

import pytest

from .conftest import SmallSite

pytestmark = pytest.mark.slow

LISTING = '```python listing="nextword.checks.close"\n```\n\nBack to'


def test_without_an_address_there_is_no_link_to_the_source(small_site: SmallSite) -> None:
    small_site.replace("Back to", LISTING)
    [(status, said)] = small_site.build_with((), GITHUB_REPOSITORY="", SITE_URL="")
    assert status == 0, said
    assert "github.com" not in small_site.page()
    assert "src/nextword/checks.py, line " in small_site.page()


def test_a_listing_links_to_its_lines_in_the_repository(small_site: SmallSite) -> None:
    small_site.replace("Back to", LISTING)
    [(status, said)] = small_site.build_with((), GITHUB_REPOSITORY="someone/course", GITHUB_SHA="0a1b2c")
    assert status == 0, said
    source = small_site.root / "src/nextword/checks.py"
    lines = source.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("def close"))
    address = f"https://github.com/someone/course/blob/0a1b2c/src/nextword/checks.py#L{first}-L"
    assert f'<a href="{address}' in small_site.page()


def test_canonical_links_follow_the_address_of_the_site(small_site: SmallSite) -> None:
    small_site.replace("site_name:", 'site_url: !ENV [SITE_URL, ""]\nsite_name:', "mkdocs.yml")
    [(status, said)] = small_site.build_with((), SITE_URL="https://course.example/here/")
    assert status == 0, said
    assert '<link rel="canonical" href="https://course.example/here/lessons/one/">' in small_site.page()
    [(status, said)] = small_site.build_with((), SITE_URL="")
    assert status == 0, said
    assert 'rel="canonical"' not in small_site.page()
