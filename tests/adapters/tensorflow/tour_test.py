"""The examples of docs/other_frameworks.md.

SPDX-License-Identifier: Apache-2.0
"""
from support import TestCase, path_of


class Tour(TestCase):
    def test_calls(self):
        zero_out_so, math_ops_so = path_of("zero_out"), path_of("math_ops")
        # [calls]
        import opsrun.tf
        import tensorflow as tf

        ops = opsrun.tf.load_op_library(zero_out_so)
        ops.zero_out([5, 4, 3])  # <tf.Tensor: shape=(3,), dtype=int32, numpy=array([5, 0, 0], dtype=int32)>
        model = tf.function(lambda x: ops.zero_out(x, preserve_index=1))
        y = model(tf.constant([5.0, 4.0, 3.0]))

        math = opsrun.tf.load_op_library(math_ops_so)
        x = tf.constant([0.0, 1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = math.tanh(x)
        slope = tape.gradient(z, x)  # <tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.41997433], dtype=float32)>
        # [/calls]
        self.assertEqual(ops.zero_out([5, 4, 3]).numpy().tolist(), [5, 0, 0])
        self.assertEqual(y.numpy().tolist(), [0, 4, 0])
        self.assertAlmostEqual(float(slope[1]), 0.41997433, places=6)

    def test_errors(self):
        import opsrun.tf
        import tensorflow as tf

        ops = opsrun.tf.load_op_library(path_of("zero_out"))
        caught = None
        # [errors]
        try:
            ops.zero_out([5, 4, 3], preserve_index=7)
        except tf.errors.InvalidArgumentError as error:
            caught = error  # preserve_index is 7, but to_zero has only 3 elements [attr:preserve_index]
        # [/errors]
        self.assertIn("preserve_index is 7, but to_zero has only 3 elements [attr:preserve_index]", caught.message)
