"""Gradients that plugins declare, in tapes and graphs of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import functools

from support import TestCase, gradients, np, tf, theirs

math, arrays = theirs.math_ops, theirs.array_ops


def derivative(function, order=1):
    """The gradient of what a function gives, as often as that."""
    differentiated = lambda x: gradients(function, x)[0]  # noqa: E731
    return differentiated if order == 1 else derivative(differentiated, order - 1)


def gradient_of(gather, params):
    """The gradient of the sum of 1, 2, 3... times the elements."""
    with tf.GradientTape() as tape:
        tape.watch(params)
        y = gather(params)
    seeds = tf.range(1.0, 1 + tf.cast(tf.size(y), tf.float32))
    return tape.gradient(y, params, output_gradients=tf.reshape(seeds, tf.shape(y)))


class Gradients(TestCase):
    def check(self, function, *inputs):
        """Against differences, in a tape and in a function."""
        for each in (function, tf.function(function)):
            found, expected = tf.test.compute_gradient(each, [tf.constant(x, tf.float64) for x in inputs])
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7)

    def test_gradients_are_right(self):
        matrix = [[1.0, 2.0], [3.0, 4.0]]
        self.check(lambda x: theirs.zero_out.zero_out(x, preserve_index=2), [1.0, 2.0, 3.0])
        self.check(lambda a, b: math.mat_mul(a, b, transpose_a=True), matrix, [[0.5], [-1.0]])
        self.check(math.mul, matrix, [5.0, 6.0])
        self.check(lambda a, b: theirs.list_ops.pack([a, b, a], axis=0), [1.0, 2.0], [3.0, 4.0])
        self.check(lambda x: theirs.list_ops.unpack(x, num=2)[1], matrix)
        self.check(math.sigmoid, [0.1, -0.5])
        self.check(derivative(math.tanh), [0.3, -0.2])

    def test_an_op_that_refuses_unknown_shapes(self):
        for rows in (2, 3, 2, 2):
            for function in (gradient_of, tf.function(gradient_of)):
                self.assertEqual(function(theirs.adapter_ops.row_sums, tf.ones([rows, 2])).numpy().tolist(), [[1 + row] * 2 for row in range(rows)])
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


class Slices(TestCase):
    """Gradients that are zero but for a few slices: IndexedSlices, as TensorFlow's own ops give."""

    def check(self, mine, theirs, params):
        """The same slices as TensorFlow, in a tape and in a function."""
        for compute in (gradient_of, tf.function(gradient_of)):
            found, expected = compute(mine, params), compute(theirs, params)
            self.assertIsInstance(found, tf.IndexedSlices)
            for part in ("values", "indices", "dense_shape"):
                np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))

    def test_gather(self):
        params = tf.random.normal([4, 2, 3])
        for indices in ([2, 0, 2], [[1], [3]], 1, np.zeros((0, 2), np.int64)):
            self.check(lambda x: arrays.gather(x, indices), lambda x: tf.raw_ops.Gather(params=x, indices=indices), params)
            self.check(lambda x: arrays.gather_v2(x, indices, 0), lambda x: tf.gather(x, indices), params)
        self.check(lambda x: arrays.gather_v2(x, [1], 0), lambda x: tf.gather(x, [1]), tf.zeros([2, 0]))

    def test_gather_nd(self):
        indices = [[2], [0], [2]]
        self.check(lambda x: arrays.gather_nd(x, indices), lambda x: tf.gather_nd(x, indices), tf.random.normal([4, 3]))

    def test_an_op_of_another_plugin(self):
        self.check(lambda x: theirs.adapter_ops.look_up(x, [2, 0, 2]), lambda x: tf.gather(x, [2, 0, 2]), tf.random.normal([4, 3]))

    def test_dense_where_slices_are_not_rows(self):
        params = tf.random.normal([3, 4])
        for mine, theirs in ((lambda x: arrays.gather_v2(x, [2, 0, 2], 1), lambda x: tf.gather(x, [2, 0, 2], axis=1)),
                             (lambda x: arrays.gather_v2(x, [[1], [0], [1]], 1, batch_dims=1),
                              lambda x: tf.gather(x, [[1], [0], [1]], batch_dims=1)),
                             (lambda x: arrays.gather_nd(x, [[2, 1], [2, 1]]), lambda x: tf.gather_nd(x, [[2, 1], [2, 1]]))):
            found = gradient_of(mine, params)
            self.assertIsInstance(found, tf.Tensor)
            np.testing.assert_array_equal(found, gradient_of(theirs, params))

    def test_an_axis_that_is_not_known_before_the_run(self):
        @tf.function(input_signature=[tf.TensorSpec([3, 2]), tf.TensorSpec([], tf.int32)])
        def compute(params, axis):
            return gradient_of(lambda x: arrays.gather_v2(x, [1, 1], axis), params)

        params = tf.random.normal([3, 2])
        for axis in (0, 1):
            expected = tf.convert_to_tensor(gradient_of(lambda x: tf.gather(x, [1, 1], axis=axis), params))
            np.testing.assert_array_equal(compute(params, axis), expected)

    def test_a_graph_has_no_tensor_of_the_shape_of_the_table(self):
        def rows(params, indices):
            slopes = gradient_of(lambda x: arrays.gather(arrays.identity(x), indices), params)
            return slopes.values, slopes.indices

        specs = [tf.TensorSpec([10 ** 12, 8]), tf.TensorSpec([3], tf.int64)]
        made = tf.function(rows).get_concrete_function(*specs)
        self.assertEqual([each.shape.as_list() for each in made.outputs], [[3, 8], [3]])
        types = [op.type for op in made.graph.get_operations()]
        self.assertEqual([each for each in types if "Opsrun" in each], ["Opsrun_array_ops>Identity", "Opsrun_array_ops>Gather"])

    def test_a_variable_is_trained_by_its_rows(self):
        table = tf.Variable(tf.zeros([1000, 2]))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(arrays.gather(table, [3, 7, 3]))
        slopes = tape.gradient(loss, table)
        table.scatter_sub(slopes)
        self.assertEqual([float(tf.reduce_sum(table)), table[3].numpy().tolist()], [-6, [-2, -2]])

    def test_gradients_of_gradients(self):
        def slope(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = theirs.math_ops.square(arrays.gather(x, [2, 0, 2]))
            return tf.convert_to_tensor(tape.gradient(y, x))

        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x)
        self.assertEqual([y.numpy().tolist(), tf.convert_to_tensor(tape.gradient(y, x)).numpy().tolist()], [[2, 0, 12], [2, 0, 4]])
