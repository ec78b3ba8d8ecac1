"""tour_test.py: the drawing stands on its table, and sizes that are no longer true are found.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import tempfile
import unittest

import check_includes
import check_tour

HOUSE = {"base": set(), "left": {"base"}, "right": {"base"}, "roof": {"base", "left"}}


class Tour(unittest.TestCase):
    def test_each_room_stands_above_what_it_includes(self):
        self.assertEqual(check_tour.floors(HOUSE), [["base"], ["left", "right"], ["roof"]])

    def test_a_circle_has_no_floor(self):
        with self.assertRaisesRegex(ValueError, "left.*roof"):
            check_tour.floors({**HOUSE, "left": {"roof"}})

    def test_arrows_leave_out_what_others_lead_to(self):
        self.assertEqual(check_tour.arrows(HOUSE), [("left", "base"), ("right", "base"), ("roof", "left")])

    def test_what_is_out_of_date_is_found_and_written(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "room").mkdir()
            (root / "room/a.cc").write_text("x\n\n" * 1000)
            (root / check_tour.DRAWING).write_text(check_tour.drawing(check_includes.ROOMS))
            (root / check_tour.TOUR).write_text("\n`room`, 1,100 lines, and `room`, 1,300 lines\n")
            self.assertEqual(check_tour.check(folder), ["docs/tour.md:2: room has 1,000 lines, not 1,300"])
            self.assertEqual(check_tour.with_sizes(folder, "`room`, 0 lines"), "`room`, 1,000 lines")
            (root / check_tour.DRAWING).write_text(check_tour.drawing(HOUSE))
            self.assertEqual(len(check_tour.check(folder)), 2)


if __name__ == "__main__":
    unittest.main()
