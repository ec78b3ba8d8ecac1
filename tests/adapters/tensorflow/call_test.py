"""The same plugin file gives the same results in opsrun and in TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import functools

from support import TestCase, gradients, np, ours, path_of, tf, theirs

ops = theirs.adapter_ops


class Calls(TestCase):
    def test_the_example_of_the_guide(self):
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

    def test_numbers_of_all_types(self):
        for dtype in ("float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
            for shape in ((), (4,), (2, 3), (1, 2, 1, 2, 1, 2, 1)):
                x = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
                self.assert_same("zero_out.zero_out", x)
        self.assert_same("zero_out.zero_out", np.array([1, 2, 3]), preserve_index=2)

    def test_list_arguments(self):
        a, b, c = np.float32([1, 2]), np.float32([3, 4]), np.float32([5, 6])
        self.assert_same("list_ops.pack", [a, b, c], axis=1)
        self.assert_same("list_ops.add_n", [a, b, c])
        self.assert_same("list_ops.unpack", np.float32([[1, 2], [3, 4]]), num=2)

    def test_many_dimensions_tensors_and_strings(self):
        self.assert_same("zero_out.zero_out", np.arange(8).reshape([1] * 17 + [2, 2, 2]))
        self.assert_same("list_ops.add_n", [np.float32([i, 1]).reshape([1] * 9 + [2]) for i in range(9)])
        self.assert_same("host_ops.reverse_strings", np.array([b"%d" % i for i in range(40)], object))

    def test_lists_of_different_types(self):
        number, text = theirs.host_ops.swapped([tf.constant(["x"]), tf.constant(1.5)], Us=[tf.float32, tf.string])
        self.assertEqual([number.numpy(), text.numpy().tolist()], [1.5, [b"x"]])

    def test_results_whose_size_is_known_after_the_run(self):
        self.assert_same("test_ops.test_nonzero", np.int32([0, 3, 0, 5]))

    def test_strings(self):
        long = b"a name that is longer than what fits into an element itself"
        self.assert_same("test_strings.test_greet", np.array([[b"Ada", b""], [long, "Zoe\N{SNOWMAN}".encode()]], object))
        self.assert_same("host_ops.reverse_strings", np.array([b"a", long, b"c\x00d", b""], object))

    def test_strings_that_are_no_text(self):
        raw = np.array([b"\xff\xfe", b"\x00z", b""], object)
        self.assert_same("host_ops.reverse_strings", raw)
        constants = tf.function(lambda: theirs.host_ops.reverse_strings(tf.constant(raw)))
        self.assertEqual(constants().numpy().tolist(), raw.tolist()[::-1])
        self.assert_same("array_ops.concat_v2", [raw, raw], np.int32(0))
        self.assertEqual(tf.function(lambda: theirs.array_ops.concat_v2([raw, raw], 0))().numpy().tolist(), raw.tolist() * 2)

    def test_attrs_of_all_kinds(self):
        self.assert_same("adapter_ops.all_attrs")
        self.assert_same("adapter_ops.all_attrs", of_any_rank=[2, None], of_any_ranks=[[], [1]])
        given = {"i": 5, "f": -2.25, "b": False, "s": "other", "is_": [3], "fs": [1.5, 2.5], "bs": [], "ss": ["x", "", "zz"],
                 "shape": [7, None], "shapes": [[1], [2, None]]}
        expected = ours.adapter_ops.all_attrs(**given, t="bool", ts=["float32", "string"])
        types = {"t": tf.bool, "ts": [tf.float32, tf.string]}
        self.assert_equal([ops.all_attrs(**given, **types).numpy()], [expected])
        self.assert_equal([tf.function(lambda: ops.all_attrs(**given, **types))().numpy()], [expected])

    def test_attrs_that_are_tensors_cause_no_warnings(self):
        x = tf.ones(2)

        @tf.function
        def function(x):
            return ops.add_offset(x, offset=np.float32([1, 2]))

        with self.assertNoLogs("tensorflow", "WARNING"):
            self.assertEqual(function(x).numpy().tolist(), [2, 3])
            for i in range(20):
                self.assertEqual(ops.add_offset(x, offset=np.float32([i])).numpy().tolist(), [i + 1, i + 1])

    def test_attrs_with_names_that_the_generator_uses(self):
        self.assertEqual(ops.all_attrs(name_=4, ctx_=5, name="node").numpy().tolist()[-3:], [4, 5, 3])

    def test_an_argument_with_the_name_of_a_keyword(self):
        total, others, again = ops.mixed(in_=[[1.0], [2.0]], others=[tf.constant("x"), tf.constant(3)])
        self.assertEqual([total.numpy(), *(each.numpy() for each in others)], [3, b"x", 3])
        self.assertEqual([each.numpy().tolist() for each in again], [[1], [2]])

    def test_lists_without_elements(self):
        self.assertEqual(theirs.host_ops.swapped([], Us=[]), [])

    def test_attrs_that_are_tensors(self):
        self.assert_same("adapter_ops.tensor_attr")
        for attrs in ({"value": np.float32([[1, 2.5], [3, -0.0]])}, {"value": 2.0}, {"value": np.zeros((0, 2), np.float32)},
                      {"same": []}, {"value": [1.0, 2.0], "same": [np.float32([7]), 0.25]}):
            self.assert_same("adapter_ops.tensor_attr", **attrs)
        value = tf.constant([1.0, 2.0])
        self.assertEqual([ops.tensor_attr(value=value).numpy(), ops.tensor_attr(tf.make_tensor_proto(1.0)).numpy()], [4, 1])
        self.assertEqual(tf.function(lambda: ops.tensor_attr(value=value))().numpy(), 4)
        texts = theirs.test_strings.test_const(value=["a", "long " * 9], T=tf.string)
        self.assertEqual(texts.numpy().tolist(), [b"a", b"long " * 9])
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            again = theirs.test_strings.test_const(value=tf.make_tensor_proto(np.float32([1, 2])), T=tf.float32)
            self.assertEqual(session.run([again, ops.tensor_attr()])[1], 1.5)
            self.assertEqual(session.run(again).tolist(), [1, 2])

    def test_inputs_beside_attrs_that_are_tensors(self):
        offset = np.float32([10, 20])
        self.assert_same("adapter_ops.add_offset", np.float32([1, 2]), offset=offset)
        for _ in range(2):
            self.assertEqual(ops.add_offset([1.0, 2.0], offset=offset).numpy().tolist(), [11, 22])
            self.assertEqual(ops.add_offset(tf.constant([[3.0, 4.0]]), offset=[1.0, 2.0]).numpy().tolist(), [[4, 6]])
        x = tf.constant([1.0, 2.0])
        for attrs, expected in (({"offset": offset}, [13, 26]), ({}, [8, 13])):
            add = functools.partial(ops.add_offset, scale=3.0, **attrs)
            self.assertEqual([add(x).numpy().tolist(), gradients(add, x)[0].numpy().tolist()], [expected, [3, 3]])

    def test_resources(self):
        counter = theirs.test_shared.test_counter(shared_name="of the test")
        same, other = (theirs.test_shared.test_counter(shared_name=name) for name in ("of the test", "another"))
        totals = [theirs.test_shared.test_count(each, tf.constant(5, tf.int64)).numpy() for each in (counter, same, other)]
        self.assertEqual(totals, [5, 10, 5])
        count = tf.function(lambda handle: theirs.test_shared.test_count(handle, tf.constant(1, tf.int64)))
        self.assertEqual(count(counter).numpy(), 11)

    def test_a_resource_of_tensorflow_is_refused(self):
        with self.assertRaises(tf.errors.InvalidArgumentError):
            theirs.test_shared.test_count(tf.Variable(1.0).handle, tf.constant(1, tf.int64))


class Memory(TestCase):
    def test_an_input_that_nobody_else_needs_is_used_again(self):
        function = tf.function(lambda x: theirs.host_ops.add_one(x + 1))
        y, in_place = function(tf.constant([1.0, 2.0]))
        self.assertEqual([y.numpy().tolist(), in_place.numpy()], [[3, 4], True])
        x = tf.constant([1.0, 2.0])
        y, in_place = theirs.host_ops.add_one(x)
        self.assertEqual([x.numpy().tolist(), y.numpy().tolist(), in_place.numpy()], [[1, 2], [2, 3], False])

    def test_an_input_as_output_shares_its_memory(self):
        x = tf.range(1000)
        copies = theirs.test_ops.test_copies(x, num=2)
        arrays = [np.asarray(each) for each in (x, *copies)]  # unlike what numpy() returns, no copies
        pointers = {each.__array_interface__["data"][0] for each in arrays}
        self.assertEqual(len(pointers), 1)

    def test_a_kernel_keeps_a_tensor(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(tf.float32, [])
            previous = ops.previous(x)
            self.assertEqual([session.run(previous, {x: value}) for value in (1, 2, 3)], [1, 1, 2])
