"""Gradients that are zero but for a few slices: IndexedSlices, as TensorFlow's own ops give.

SPDX-License-Identifier: Apache-2.0
"""
from support import TestCase, np, tf, theirs

arrays = theirs.array_ops


def gradient(gather, params):
    with tf.GradientTape() as tape:
        tape.watch(params)
        y = gather(params)
    seeds = tf.range(1.0, 1 + tf.cast(tf.size(y), tf.float32))
    return tape.gradient(y, params, output_gradients=tf.reshape(seeds, tf.shape(y)))


class Slices(TestCase):
    def check(self, mine, theirs, params):
        """The same slices as TensorFlow, in a tape and in a function."""
        for compute in (gradient, tf.function(gradient)):
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
            found = gradient(mine, params)
            self.assertIsInstance(found, tf.Tensor)
            np.testing.assert_array_equal(found, gradient(theirs, params))

    def test_an_axis_that_is_not_known_before_the_run(self):
        @tf.function(input_signature=[tf.TensorSpec([3, 2]), tf.TensorSpec([], tf.int32)])
        def compute(params, axis):
            return gradient(lambda x: arrays.gather_v2(x, [1, 1], axis), params)

        params = tf.random.normal([3, 2])
        for axis in (0, 1):
            expected = tf.convert_to_tensor(gradient(lambda x: tf.gather(x, [1, 1], axis=axis), params))
            np.testing.assert_array_equal(compute(params, axis), expected)

    def test_a_graph_has_no_tensor_of_the_shape_of_the_table(self):
        def rows(params, indices):
            slopes = gradient(lambda x: arrays.gather(arrays.identity(x), indices), params)
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
