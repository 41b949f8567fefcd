"""The parts of static pictures: HTML that says the same to those who see it and to those who hear it."""

import pytest

from coursebuild.instruments.pictures import bar, row, table, text

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("value", "written"),
    [("cat", "cat"), ("<s> & </s>", "&lt;s&gt; &amp; &lt;/s&gt;"), ("“a” \"b\" 'c'", "“a” \"b\" 'c'")],
)
def test_text_of_a_cell_is_shown_as_it_is(value: str, written: str) -> None:
    assert text(value) == written


@pytest.mark.parametrize(
    ("share", "width"), [(0, "0"), (1, "100"), (0.5, "50"), (1 / 3, "33.33"), (0.000123456, "0.01235")]
)
def test_a_bar_is_as_long_as_its_share_and_is_not_read_aloud(share: float, width: str) -> None:
    assert bar(share) == (
        '<svg class="instrument__bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="8"/></svg>'
    )


def test_a_table_has_its_caption_names_of_columns_and_names_of_rows() -> None:
    """It scrolls by itself, by keys too, and tells what it is; no name stands over a column of bars."""
    assert table("a < b", ("Token", "P & Q", ""), [("cat", "1", bar(1)), ("dog", "<b>2</b>", "")]) == (
        '<div class="instrument__scroll" tabindex="0" role="region" aria-label="a &lt; b">'
        '<table class="instrument__table"><caption>a &lt; b</caption>'
        '<thead><tr><th scope="col">Token</th> <th scope="col">P &amp; Q</th> <td></td></tr></thead>'
        f'<tbody><tr><th scope="row">cat</th> <td>1</td> <td>{bar(1)}</td></tr>'
        '<tr><th scope="row">dog</th> <td><b>2</b></td> <td></td></tr></tbody></table></div>'
    )


def test_quotes_of_a_caption_do_not_end_its_attribute() -> None:
    made = table('what "a" makes', ("A",), [])
    assert 'aria-label="what &quot;a&quot; makes">' in made
    assert '<caption>what "a" makes</caption>' in made
    assert "<tbody></tbody>" in made


def test_a_line_of_values_has_its_name_and_the_values_stay_apart() -> None:
    assert row("a & b:", ["<s>", "cat", "sat"]) == (
        '<p class="instrument__row"><span class="instrument__label">a &amp; b:</span> &lt;s&gt; cat sat</p>'
    )
    assert row("None:", []) == '<p class="instrument__row"><span class="instrument__label">None:</span> </p>'
