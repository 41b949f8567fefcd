"""Labels keep their order and stand off each other and off the lines."""

from itertools import pairwise

import pytest

from coursebuild.drawings.placing import LABEL_GAP, Box, Point, along, free_place, push_apart

pytestmark = pytest.mark.once


FIELD = Box(0, 0, 200, 200)
BOX = Box(10, 20, 30, 40)


def row(y: float, left: int = 0, right: int = 200) -> list[Point]:
    """Points along a level line."""
    return [(float(x), y) for x in range(left, right + 1, 3)]


class TestBoxes:
    @pytest.mark.parametrize(
        ("point", "rim", "inside"),
        [
            ((20, 30), 0, True),
            *[(point, 0, False) for point in ((10, 30), (30, 30), (20, 20), (20, 40), (20, 50), (50, 30))],
            *[(point, 0, True) for point in ((10.5, 30), (29.5, 30), (20, 20.5), (20, 39.5))],
            *[(point, 2, True) for point in ((8.5, 30), (31.5, 30), (20, 18.5), (20, 41.5))],
            *[(point, 2, False) for point in ((8, 30), (32, 30), (20, 18), (20, 42))],
        ],
    )
    def test_a_box_has_the_points_within_its_edges_or_a_rim(
        self, point: Point, rim: float, inside: bool
    ) -> None:
        assert BOX.has(point, rim) == inside
        assert rim or BOX.has(point) == inside

    @pytest.mark.parametrize(
        ("other", "meets"),
        [
            (BOX, True),
            (Box(15, 25, 20, 30), True),
            *[(Box(*edges), False) for edges in ((30, 20, 50, 40), (0, 20, 10, 40))],
            *[(Box(*edges), False) for edges in ((10, 40, 30, 60), (10, 0, 30, 20))],
            *[(Box(*edges), True) for edges in ((29, 20, 50, 40), (0, 20, 11, 40))],
            *[(Box(*edges), True) for edges in ((10, 39, 30, 60), (10, 0, 30, 21))],
            (Box(29, 41, 50, 60), False),
        ],
    )
    def test_boxes_that_only_touch_do_not_meet(self, other: Box, meets: bool) -> None:
        assert BOX.meets(other) == other.meets(BOX) == meets

    @pytest.mark.parametrize(
        ("point", "nearest"),
        [
            ((20, 30), (20, 30)),
            ((0, 30), (10, 30)),
            ((99, 30), (30, 30)),
            ((20, 0), (20, 20)),
            ((99, 99), (30, 40)),
        ],
    )
    def test_the_nearest_point_of_a_box_lies_on_it(self, point: Point, nearest: Point) -> None:
        assert BOX.nearest(point) == nearest


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

    @pytest.mark.parametrize(
        ("wanted", "heights", "expected"),
        [
            ([50, 50, 50], [14, 14, 14], [32, 50, 68]),  # of equals the first stands highest
            ([10, 90, 50], [14, 28, 14], [10, 86, 50]),
            ([0, 0, 0], [14, 14, 14], [7, 25, 43]),
            ([100, 99, 98], [14, 14, 28], [93, 75, 50]),
            ([50, 52, 61], [14, 14, 14], [54.333 - 18, 54.333, 54.333 + 18]),
            (
                [40, 58, 60, 20],
                [14, 14, 14, 14],
                [35.5, 53.5, 71.5, 17.5],
            ),  # pushed into a neighbour, they push it too
        ],
    )
    def test_labels_without_room_share_what_they_give_way(
        self, wanted: list[float], heights: list[float], expected: list[float]
    ) -> None:
        assert push_apart(wanted, heights, 0, 100) == pytest.approx(expected, abs=0.01)

    def test_the_field_of_labels_may_begin_anywhere(self) -> None:
        assert push_apart([0, 0], [10, 20], 26, 100) == pytest.approx([31, 50])
        assert push_apart([200, 99], [10, 20], 26, 100) == pytest.approx([95, 76])

    def test_points_along_a_line_are_evenly_apart(self) -> None:
        assert list(along([(0, 0), (10, 0), (10, 4)])) == [
            *[(0, 0), (10, 0), (10, 4)],
            *[(2.5, 0), (5, 0), (7.5, 0), (10, 2)],
        ]
        assert list(along([(4, 9), (4, 6)])) == [(4, 9), (4, 6)]
        assert list(along([(1, 1), (7, 9)], 5)) == [(1, 1), (7, 9), (4, 5)]

    @pytest.mark.parametrize(
        ("lines", "expected"),
        [
            ([], Box(70, 78, 130, 92)),  # above its ring
            (row(85), Box(70, 108, 130, 122)),  # below
            ([*row(85), *row(115)], Box(25, 88, 85, 102)),  # between the lines, at the left
            ([*row(85), *row(115), *row(100, 0, 85)], Box(115, 88, 175, 102)),  # at the right
            ([*row(85, 110), *row(115)], Box(40, 78, 100, 92)),  # above, moved along
        ],
    )
    def test_a_text_stands_as_near_as_it_can_off_the_lines(self, lines: list[Point], expected: Box) -> None:
        assert free_place(FIELD, (100, 100), 60, lines, [(100, 100)], []) == expected

    @pytest.mark.parametrize(
        ("at", "expected"),
        [
            ((5, 100), Box(0, 78, 60, 92)),
            ((195, 100), Box(140, 78, 200, 92)),
            ((100, 3), Box(70, 11, 130, 25)),
            ((100, 197), Box(70, 175, 130, 189)),
        ],
    )
    def test_at_an_edge_a_text_stays_in_the_field(self, at: Point, expected: Box) -> None:
        assert free_place(FIELD, at, 60, [], [at], []) == expected

    def test_a_text_stands_off_every_ring_unless_there_is_no_room(self) -> None:
        rings = [(100.0, 100.0), (100.0, 85.0)]
        assert free_place(FIELD, rings[0], 60, [], rings, []) == Box(70, 108, 130, 122)
        assert free_place(Box(0, 0, 60, 14), (30, 7), 60, [], [(30, 7)], []) == Box(0, 0, 60, 14)

    def test_of_places_that_hide_as_much_the_nearest_is_taken(self) -> None:
        """At the ring a text hides two points; a step farther one, but its leader touches that one again."""
        field, below = Box(0, 70, 60, 200), Box(0, 100, 60, 200)
        box = free_place(field, (30, 100), 60, [(27, 93), (30, 87)], [(30, 100)], [below])
        assert box == Box(0, 78, 60, 92)

    @pytest.mark.parametrize(
        ("field", "at", "taken", "farther", "expected"),
        [
            (Box(0, 0, 80, 400), (40, 200), Box(0, 107, 80, 400), Box(0, 106, 80, 400), Box(0, 93, 80, 107)),
            (Box(0, 0, 80, 400), (40, 200), Box(0, 0, 80, 293), Box(0, 0, 80, 294), Box(0, 293, 80, 307)),
            (Box(0, 0, 400, 14), (200, 7), Box(160, 0, 400, 14), Box(159, 0, 400, 14), Box(80, 0, 160, 14)),
            (Box(0, 0, 400, 14), (200, 7), Box(0, 0, 240, 14), Box(0, 0, 241, 14), Box(240, 0, 320, 14)),
        ],
    )
    def test_a_text_stands_no_farther_away_than_it_still_belongs_to_its_point(
        self, field: Box, at: Point, taken: Box, farther: Box, expected: Box
    ) -> None:
        assert free_place(field, at, 80, [], [at], [taken]) == expected
        assert free_place(field, at, 80, [], [at], [farther]) is None

    def test_points_in_one_place_count_once(self) -> None:
        """Above are many points in one place; on every other side are two places."""
        above = [(100.0, 84.0)] * 50
        others = [
            (x, y) for x in range(0, 201, 5) for y in range(0, 201, 5) if not (66 < x < 134 and 74 < y < 96)
        ]
        box = free_place(FIELD, (100, 100), 60, [*above, *others], [(100, 100)], [])
        assert box == Box(70, 78, 130, 92)

    def test_a_leader_crosses_as_few_lines_as_it_can(self) -> None:
        """There is room above and below a thick line; only from above its leader would go through it."""
        taken = [Box(0, 45, 200, 155)]
        line = [place for y in (60, 63, 66) for place in row(float(y))]
        assert free_place(FIELD, (100, 100), 60, [], [(100, 100)], taken) == Box(70, 28, 130, 42)
        assert free_place(FIELD, (100, 100), 60, line, [(100, 100)], taken) == Box(70, 158, 130, 172)

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
