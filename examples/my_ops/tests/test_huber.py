"""Tests of my_ops: python -m unittest discover examples/my_ops/tests

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import my_ops
import numpy as np
import opsrun.test


class HuberTest(opsrun.test.TestCase):
    def test_values(self):
        self.assertAllClose(my_ops.huber(np.float32([-3, -0.5, 0, 1, 2]), delta=1.0), [2.5, 0.125, 0, 0.5, 1.5])

    def test_gradient(self):
        errors = np.float64([[-3, -0.5], [0.25, 2]])
        declared, measured = opsrun.test.compute_gradient(lambda error: my_ops.huber(error, delta=1.5), [errors])
        self.assertLess(opsrun.test.max_error(declared, measured), 1e-6)

    def test_a_delta_that_makes_no_sense(self):
        with self.assertRaisesOpError("delta must be above 0"):
            my_ops.huber([1.0], delta=0.0)


if __name__ == "__main__":
    unittest.main()
