"""Gradients that plugins declare, in tapes and graphs of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
from support import TestCase, load, np, tf


class Gradients(TestCase):
    def check(self, function, *inputs):
        """Against differences, in a tape and in a function."""
        for each in (function, tf.function(function)):
            found, expected = tf.test.compute_gradient(each, [tf.constant(x, tf.float64) for x in inputs])
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)

    def test_attrs(self):
        _, ops = load("zero_out")
        self.check(lambda x: ops.zero_out(x, preserve_index=2), [1.0, 2.0, 3.0])
        _, math = load("math_ops")
        self.check(lambda a, b: math.mat_mul(a, b, transpose_a=True), [[1.0, 2.0], [3.0, 4.0]], [[0.5], [-1.0]])

    def test_broadcasts(self):
        _, math = load("math_ops")
        self.check(math.mul, [[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0])

    def test_lists(self):
        _, lists = load("list_ops")
        self.check(lambda a, b: lists.pack([a, b, a], axis=0), [1.0, 2.0], [3.0, 4.0])
        self.check(lambda x: lists.unpack(x, num=2)[1], [[1.0, 2.0], [3.0, 4.0]])

    def test_outputs_and_constants(self):
        _, math = load("math_ops")
        self.check(math.tanh, [0.1, -0.5])
        self.check(math.sigmoid, [0.1, -0.5])

    def test_indices_have_none(self):
        _, arrays = load("array_ops")
        params, indices = tf.constant([1.0, 2.0, 3.0]), tf.constant([2, 0])
        with tf.GradientTape() as tape:
            tape.watch(params)
            y = arrays.gather(params, indices)
        self.assertEqual(tape.gradient(y, params).numpy().tolist(), [1, 0, 1])

    def test_gradients_of_gradients(self):
        _, math = load("math_ops")

        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = math.tanh(x)
            return tape.gradient(y, x)

        self.check(slope, [0.3, -0.2])

    def test_a_graph(self):
        _, math = load("math_ops")
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [None, 2])
            slope, = tf.gradients(math.mul(x, x), [x])
            self.assertEqual(session.run(slope, {x: [[1, 2]]}).tolist(), [[2, 4]])

    def test_an_op_through_which_nothing_flows(self):
        _, math = load("math_ops")
        x = tf.constant([1.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = math.sign(x) if "Sign" not in math.OP_LIST else math.equal(x, x)
        self.assertIsNone(tape.gradient(y, x))

    def test_an_op_that_declares_none(self):
        _, ops = load("test_gradients")
        x = tf.constant([1.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = ops.test_undeclared(x)
        with self.assertRaisesRegex(LookupError, "Opsrun_test_gradients>TestUndeclared"):
            tape.gradient(y, x)

    def test_an_invalid_one(self):
        _, ops = load("test_gradients")
        x = tf.constant([1.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = ops.test_no_such_name(x, 1)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tape.gradient(y, x)
