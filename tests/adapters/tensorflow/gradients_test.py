"""Gradients that plugins declare, in tapes and graphs of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import functools

from support import TestCase, gradients, np, tf, theirs

math = theirs.math_ops


def derivative(function, order=1):
    """The gradient of what a function gives, as often as that."""
    differentiated = lambda x: gradients(function, x)[0]  # noqa: E731
    return differentiated if order == 1 else derivative(differentiated, order - 1)


class Gradients(TestCase):
    def check(self, function, *inputs):
        """Against differences, in a tape and in a function."""
        for each in (function, tf.function(function)):
            found, expected = tf.test.compute_gradient(each, [tf.constant(x, tf.float64) for x in inputs])
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)

    def test_attrs(self):
        self.check(lambda x: theirs.zero_out.zero_out(x, preserve_index=2), [1.0, 2.0, 3.0])
        self.check(lambda a, b: math.mat_mul(a, b, transpose_a=True), [[1.0, 2.0], [3.0, 4.0]], [[0.5], [-1.0]])

    def test_broadcasts(self):
        self.check(math.mul, [[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0])

    def test_an_op_that_refuses_unknown_shapes(self):
        def slopes(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = theirs.adapter_ops.row_sums(x)
            return tape.gradient(y, x, output_gradients=tf.range(1.0, 1 + tf.cast(tf.shape(x)[0], tf.float32)))

        for rows in (2, 3, 2, 2):
            for function in (slopes, tf.function(slopes)):
                self.assertEqual(function(tf.ones([rows, 2])).numpy().tolist(), [[1 + row] * 2 for row in range(rows)])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "x is not a matrix"):
            theirs.adapter_ops.row_sums([1.0])

    def test_shapes_that_come_again(self):
        """The first gradient is for all shapes; later ones leave out what their shapes make needless."""
        shapes = [((3, 4), (3, 4)), ((3, 4), (4,)), ((1, 4), (3, 1))] + [((3, n), (3, n)) for n in range(5, 90)]
        for a, b in shapes + shapes[:40] * 2:
            x, y = tf.random.normal(a), tf.random.normal(b)
            for found, expected in zip(gradients(math.mul, x, y), gradients(tf.multiply, x, y), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-5)

    def test_sums_that_shapes_make_needless_are_left_out(self):
        def sums(*shape):
            graph = tf.function(functools.partial(gradients, math.sub)).get_concrete_function(*[tf.TensorSpec(shape)] * 2).graph
            return sum(op.type.endswith(">SumToShape") for op in graph.get_operations())

        self.assertEqual([sums(2, 3), sums(None, 3)], [0, 2])

    def test_lists(self):
        self.check(lambda a, b: theirs.list_ops.pack([a, b, a], axis=0), [1.0, 2.0], [3.0, 4.0])
        self.check(lambda x: theirs.list_ops.unpack(x, num=2)[1], [[1.0, 2.0], [3.0, 4.0]])

    def test_outputs_and_constants(self):
        self.check(math.tanh, [0.1, -0.5])
        self.check(math.sigmoid, [0.1, -0.5])

    def test_gradients_of_gradients(self):
        self.check(derivative(math.tanh), [0.3, -0.2])

    def test_a_graph(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [None, 2])
            slope, = tf.gradients(math.mul(x, x), [x])
            self.assertEqual(session.run(slope, {x: [[1, 2]]}).tolist(), [[2, 4]])

    def test_an_op_through_which_nothing_flows(self):
        self.assertIsNone(derivative(math.floor)(tf.constant([1.5])))

    def test_zeros_where_tensorflow_has_zeros(self):
        x = tf.constant([[-1.5, 0.0], [2.0, np.nan]])
        for mine, theirs, orders in ((math.sign, tf.sign, 1), (math.relu, tf.nn.relu, 2), (math.abs, tf.abs, 2)):
            found, expected = derivative(mine, orders)(x), derivative(theirs, orders)(x)
            np.testing.assert_array_equal(found[0, :], expected[0, :])
            self.assertEqual(found.numpy()[:, 0].tolist(), [0, 0])
        images = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        pool = functools.partial(math.max_pool, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        self.assertEqual(derivative(pool, 2)(images).numpy().tolist(), np.zeros_like(images).tolist())

    def test_none_where_nothing_flows(self):
        self.assertIsNone(derivative(lambda x: tf.cast(theirs.cast.cast(x, DstT=tf.int32), tf.float32))(tf.constant(1.5)))

    def test_static_shapes_are_those_of_the_inputs(self):
        for shapes in (((2, 3), (3,)), ((), (1,)), ((None, 3), (3,))):
            specs = [tf.TensorSpec(shape) for shape in shapes]
            outputs = tf.function(functools.partial(gradients, math.mul)).get_concrete_function(*specs).outputs
            self.assertEqual([each.shape.as_list() for each in outputs], [list(shape) for shape in shapes])

    def test_an_op_that_declares_none(self):
        with self.assertRaisesRegex(LookupError, "Opsrun_test_gradients>TestUndeclared"):
            gradients(theirs.test_gradients.test_undeclared, tf.constant([1.5]))

    def test_an_invalid_one(self):
        x = tf.constant([1.5])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = theirs.test_gradients.test_no_such_name(x, 1)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tape.gradient(y, x)
