"""Tests of the installed wheel: python -m unittest discover python

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import numpy as np
import opsrun.test

from my_op import my_op


class MyOpTest(opsrun.test.TestCase):
    def test_values(self):
        self.assertAllClose(my_op(np.float32([1, -2, 0.5]), factor=3.0), [3, -6, 1.5])

    def test_gradient(self):
        declared, measured = opsrun.test.compute_gradient(lambda x: my_op(x, factor=3.0), [np.float32([[1, 2], [3, 4]])])
        self.assertLess(opsrun.test.max_error(declared, measured), 1e-2)


if __name__ == "__main__":
    unittest.main()
