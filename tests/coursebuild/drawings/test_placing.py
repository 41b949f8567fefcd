"""Labels keep their order and stand off each other and off the lines."""

from itertools import pairwise

import pytest

from coursebuild.drawings.placing import LABEL_GAP, Box, free_place, push_apart

pytestmark = pytest.mark.once


class TestPlacing:
    @pytest.mark.parametrize(
        "wanted", [[50, 50, 50], [10, 90, 50], [0, 0, 0, 0], [100, 99, 98], [5, 8, 95, 97], [47]]
    )
    def test_labels_keep_their_order_and_their_distance(self, wanted: list[float]) -> None:
        heights = [14.0, 28.0, 14.0, 14.0][: len(wanted)]
        got = push_apart(wanted, heights, 0, 100)
        tops = sorted(
            (middle - tall / 2, middle + tall / 2) for middle, tall in zip(got, heights, strict=True)
        )
        assert all(two[0] - one[1] >= LABEL_GAP - 1e-9 for one, two in pairwise(tops))
        assert tops[0][0] >= -1e-9
        assert tops[-1][1] <= 100 + 1e-9
        assert sorted(range(len(got)), key=lambda i: (wanted[i], i)) == sorted(
            range(len(got)), key=got.__getitem__
        )

    def test_labels_with_room_stand_where_they_are_wanted(self) -> None:
        assert push_apart([80, 20, 50], [14, 14, 14], 0, 100) == pytest.approx([80, 20, 50])

    def test_labels_that_meet_stand_around_their_mean(self) -> None:
        assert push_apart([50, 52], [14, 14], 0, 100) == pytest.approx([42, 60])

    def test_a_text_goes_where_no_line_is(self) -> None:
        field = Box(0, 0, 200, 200)
        below = [(float(x), 100.0 + y) for x in range(0, 200, 3) for y in (15, 30, 60)]
        box = free_place(field, (100, 100), 60, below, [(100, 100)], [])
        assert box
        assert box.bottom <= 100
        assert not any(box.has(place) for place in below)
        again = free_place(field, (100, 100), 60, below, [(100, 100)], [box])
        assert again
        assert not again.meets(box)
        assert free_place(field, (100, 100), 201, [], [(100, 100)], []) is None
        assert free_place(field, (100, 100), 60, [], [(100, 100)], [field]) is None
