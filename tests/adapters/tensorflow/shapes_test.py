"""Shapes that TensorFlow knows before a run, by the shape functions of plugins.

SPDX-License-Identifier: Apache-2.0
"""
from support import TestCase, np, tf, theirs

math, arrays, shapes, ops = theirs.math_ops, theirs.array_ops, theirs.shape_ops, theirs.adapter_ops


def shape_of(function, *shapes, dtype=tf.float32):
    specs = [tf.TensorSpec(shape, dtype) for shape in shapes]
    outputs = tf.function(function).get_concrete_function(*specs).outputs
    return outputs[0].shape.as_list() if outputs[0].shape.rank is not None else None


class Shapes(TestCase):
    def test_sizes_that_are_known_in_part(self):
        self.assertEqual(shape_of(math.mul, [None, 3], [3]), [None, 3])
        self.assertEqual(shape_of(math.mul, None, [3]), None)
        self.assertEqual(shape_of(lambda x: math.mat_mul(x, x, transpose_b=True), [2, None]), [2, 2])

    def test_sizes_that_follow_from_others(self):
        concat = lambda x, y: arrays.concat_v2([x, y], tf.constant(0))  # noqa: E731
        self.assertEqual(shape_of(concat, [2, 4], [3, None]), [5, 4])
        self.assertEqual(shape_of(concat, [None, 4], [3, 4]), [None, 4])

    def test_arithmetic(self):
        self.assertEqual(shape_of(ops.sizes, [2, 4], [2, 5]), [5, 4, 4, 4])
        self.assertEqual(shape_of(ops.sizes, [None, 4], [2, None]), [5, None, None, 4])
        self.assertEqual(shape_of(ops.sizes, [None, None], None), [None] * 4)
        with self.assertRaises(ValueError):
            shape_of(ops.sizes, [2, 4], [3, 5])

    def test_values_that_are_known_before_the_run(self):
        self.assertEqual(shape_of(lambda x: theirs.host_ops.drop_first(x, 2), [5]), [3])
        self.assertEqual(shape_of(lambda x: theirs.host_ops.drop_first(x, 2), [None]), [None])
        self.assertEqual(shape_of(lambda x: theirs.host_ops.drop_first(x, tf.cast(x[0], tf.int32)), [5]), [None])

    def test_shapes_as_values(self):
        self.assertEqual(shape_of(lambda x: shapes.fill(tf.constant([2, 3]), x), []), [2, 3])
        self.assertEqual(shape_of(lambda x, y: shapes.reshape(x, tf.shape(y)), [None], [None, 4]), [None, 4])

    def test_constants_that_are_no_shapes(self):
        self.assertEqual(shape_of(lambda x: arrays.reverse_v2(x, tf.constant([-2])), [2, 3]), [2, 3])
        self.assertEqual(shape_of(lambda x: arrays.strided_slice(x, [-2], [4], [1]), [4, 3]), [2, 3])
        self.assertEqual(shape_of(lambda x: arrays.strided_slice(x, [-1], [-5], [-1]), [4, 3]), [4, 3])
        self.assertEqual(shape_of(lambda x: arrays.strided_slice(x, tf.concat([[-2], x[:0, 0]], 0), [4], [1]), [4, 3],
                                  dtype=tf.int32), [None, 3])

    def test_values_that_are_known_in_part(self):
        self.assertEqual(shape_of(lambda x: shapes.fill(tf.stack([tf.shape(x)[0], 3]), 0.0), [None]), [None, 3])
        self.assertEqual(shape_of(lambda x: shapes.reshape(x, tf.stack([tf.shape(x)[1], -1])), [None, 4]), [4, None])
        self.assertEqual(shape_of(lambda x: shapes.reshape(x, tf.concat([tf.shape(x)[:1], [2, 2]], 0)), [None, 4]), [None, 2, 2])
        self.assertEqual(shape_of(lambda x: arrays.broadcast_to(x, shapes.shape(x)), [None, 4]), [None, 4])
        self.assertEqual(shape_of(lambda x: arrays.tile(x, tf.stack([tf.shape(x)[0], 1])), [None, 4]), [None, 4])
        self.assertEqual(shape_of(lambda x: math.sum(x, tf.stack([-1])), [None, 4]), [None])
        self.assertEqual(shape_of(lambda x: arrays.strided_slice(x, [0, -2], tf.stack([tf.shape(x)[0], 4]), [1, 1]), [None, 4]), [None, 2])
        begin = lambda x: tf.stack([tf.cast(x[0, 0], tf.int32), -2])  # noqa: E731
        self.assertEqual(shape_of(lambda x: arrays.strided_slice(x, begin(x), [3, 4], [1, 1]), [8, 4]), [None, 2])

    def test_values_that_pass_through_ops_of_plugins(self):
        def rows(x):
            count = arrays.strided_slice(shapes.shape(x), [0], [1], [1], shrink_axis_mask=1)
            return shapes.reshape(x, theirs.list_ops.pack([count, 2, tf.constant(-1)]))

        self.assertEqual(shape_of(rows, [None, 6]), [None, 2, None])
        self.assertEqual(shape_of(rows, [5, 6]), [5, 2, 3])

    def test_a_value_that_cannot_be_is_found_before_the_run(self):
        with self.assertRaisesRegex(ValueError, "-3"):
            shape_of(lambda x: shapes.fill(tf.stack([tf.shape(x)[1] - 4, -3]), 0.0), [None, 4])

    def test_an_op_without_a_shape_function(self):
        self.assertEqual(shape_of(theirs.test_ops.test_nonzero, [4], dtype=tf.int32), None)

    def test_wrong_shapes(self):
        with self.assertRaisesRegex(ValueError, "2.*3"):
            shape_of(math.mul, [2], [3])

    def test_the_shapes_of_runs_are_those_that_were_inferred(self):
        function = tf.function(lambda x: arrays.concat_v2([x, x], tf.constant(1)), input_signature=[tf.TensorSpec([None, None])])
        inferred = function.get_concrete_function().outputs[0].shape
        for shape in ((2, 3), (0, 1)):
            self.assertTrue(inferred.is_compatible_with(function(np.ones(shape, np.float32)).shape))
