"""Errors of plugins as those of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import tempfile
import threading

from support import TestCase, opsrun, path_of, tf, theirs

math, ops = theirs.math_ops, theirs.adapter_ops


class Errors(TestCase):
    def test_the_example_of_the_guide(self):
        ops, caught = theirs.zero_out, None
        # [errors]
        try:
            ops.zero_out([5, 4, 3], preserve_index=7)
        except tf.errors.InvalidArgumentError as error:
            caught = error  # preserve_index is 7, but to_zero has only 3 elements [attr:preserve_index]
        # [/errors]
        self.assertIn("preserve_index is 7, but to_zero has only 3 elements [attr:preserve_index]", caught.message)

    def test_codes_and_texts_of_kernels(self):
        for code in range(1, 17):
            wanted = tf.compat.v1.errors.exception_type_from_error_code(code)
            text = "told to fail, ä \N{REPLACEMENT CHARACTER}" if code == 15 else "told to fail"
            with self.assertRaisesRegex(wanted, rf"{text} \[input:x\]"):
                ops.fails([1.0], code=code)
        function = tf.function(lambda x: ops.fails(x, code=5))
        with self.assertRaisesRegex(tf.errors.NotFoundError, "told to fail"):
            function([1.0])

    def test_a_constructor_that_refuses_attrs(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "the code is negative"):
            ops.fails([1.0], code=-1)

    def test_attrs_that_are_tensors(self):
        with self.assertRaisesRegex(TypeError, r"test_const\(\): missing a required argument: 'value'"):
            theirs.test_strings.test_const(T=tf.float32)
        with self.assertRaisesRegex(TypeError, r"attr 'value' of tensor_attr\(\) is a tensor of a graph.* array of NumPy"):
            tf.function(lambda value: ops.tensor_attr(value=value))(tf.constant(1.0))
        with self.assertRaisesRegex(TypeError, r"attr 'same' of tensor_attr\(\) must be a list of tensors, not float"):
            ops.tensor_attr(same=1.0)
        with self.assertRaisesRegex(TypeError, r"attr 'same' of tensor_attr\(\)\[1\] must be an array or a number"):
            ops.tensor_attr(same=[1.0, object()])
        for call in (ops.tensor_attr, tf.function(ops.tensor_attr)):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "adapter.ops.TensorAttr: .* a tensor is not float32"):
                call(value=[1])

    def test_an_exception_of_a_kernel(self):
        with self.assertRaisesRegex(tf.errors.OpError, "thrown by a kernel"):
            theirs.test_ops.test_throw([1.0])

    def test_a_type_without_a_kernel(self):
        with self.assertRaisesRegex(tf.errors.UnimplementedError, "TestInt32Only"):
            theirs.test_ops.test_int32_only([1.0])

    def test_a_size_that_cannot_be(self):
        with self.assertRaises(tf.errors.OpError):
            theirs.shape_ops.fill([1 << 30, 1 << 30, 1 << 30], 1.0)

    def test_shapes_that_only_the_kernel_sees(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"gradients must have the shape of features, which is \[2\]"):
            math.relu_grad([1.0], [1.0, 2.0])

    def test_too_many_dimensions(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "64 dimensions"):
            theirs.zero_out.zero_out(tf.reshape(1.0, [1] * 65))

    def test_a_cancelled_call(self):
        from tensorflow.python.eager import cancellation

        manager = cancellation.CancellationManager()
        sleep = tf.function(lambda x: theirs.test_ops.test_sleep(x, seconds=60.0))
        function = sleep.get_concrete_function(tf.TensorSpec([], tf.int32))
        threading.Timer(0.2, manager.start_cancel).start()
        with self.assertRaises(tf.errors.CancelledError):
            manager.get_cancelable_function(function)(tf.constant(1))

class Names(TestCase):
    def test_the_names_are_not_those_of_tensorflow(self):
        self.assertIn("MatMul", math.OP_LIST)
        graph = tf.function(math.mat_mul).get_concrete_function(tf.TensorSpec([2, 2]), tf.TensorSpec([2, 2])).graph
        self.assertIn("Opsrun_math_ops>MatMul", {op.type for op in graph.get_operations()})

    def test_another_file_of_a_name_that_is_open_is_refused(self):
        _ = theirs.adapter_ops
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(path_of("adapter_ops"), os.path.join(folder, "other.so"))
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "adapter.ops"):
                opsrun.tf.load_op_library(copy)

    def test_two_plugins_may_have_ops_of_one_name(self):
        with tempfile.TemporaryDirectory() as folder:
            renamed = os.path.join(folder, "renamed.so")
            shutil.copy(path_of("test_ops"), renamed)  # a plugin that has no name of its own has that of its file
            second = opsrun.tf.load_op_library(renamed)
        self.assertEqual(second.test_add([1], [2]).numpy(), theirs.test_ops.test_add([1], [2]).numpy())
        self.assertIsNot(second, theirs.test_ops)

    def test_names_that_differ_in_signs_only(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.b", "a-b"):
                shutil.copy(path_of("test_shared"), os.path.join(folder, name + ".so"))
            opsrun.tf.load_op_library(os.path.join(folder, "a.b.so"))
            with self.assertRaisesRegex(tf.errors.AlreadyExistsError, "Opsrun_a_b>TestCount"):
                opsrun.tf.load_op_library(os.path.join(folder, "a-b.so"))

    def test_an_op_that_is_not_there(self):
        with self.assertRaisesRegex(AttributeError, "plugin 'zero_out' has no op 'one_out'; did you mean 'zero_out'"):
            theirs.zero_out.one_out  # noqa: B018
