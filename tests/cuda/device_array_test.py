"""device_array_test.py: arrays of the Python package in the memory of a card, on the fake driver.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import gc
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import opsrun

REPORT = os.path.join(tempfile.mkdtemp(), "report")
os.environ["OPSRUN_DOUBLE_REPORT"] = REPORT
opsrun.configure([os.environ["OPSRUN_EMULATED_PLUGINS"]], default_plugins=False, threads=1)  # the fake driver forks
math_ops = opsrun.ops.math_ops

sys.path.append(str(pathlib.Path(__file__).parents[2] / "examples/digits"))
import digits  # after configure: it uses ops

# The driver reads its settings when it is loaded, so this runs in a process of its own.
LATE = """
import os
import numpy as np
import opsrun
opsrun.configure([os.environ["OPSRUN_EMULATED_PLUGINS"]], default_plugins=False, threads=1)
graph = opsrun.Graph.from_yaml('''opsrun: 1
feeds: {x: {dtype: float32}}
nodes: {n: {op: Neg, in: x}, m: {op: Exp, in: n}}
outputs: [m]
''', "late.yaml")
opsrun.ops.math_ops.tanh(graph.run(x=opsrun.asarray(np.ones(4, np.float32), "gpu"))["m"]).numpy()
"""


class Foreign:
    """An array of another package, which knows DLPack alone."""

    def __init__(self, array, versioned=True):
        self.array, self.versioned, self.streams = array, versioned, []

    def __dlpack__(self, stream=None, **kwargs):
        if not self.versioned and kwargs:
            raise TypeError("an old package")
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream, **kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class DeviceArrays(unittest.TestCase):
    def tearDown(self):
        gc.collect()
        if os.path.exists(REPORT):
            with open(REPORT, encoding="utf-8") as report:
                self.assertEqual(report.read(), "")

    def setUp(self):
        self.host = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.x = opsrun.asarray(self.host, "gpu")

    def test_are_copied_there_and_back(self):
        for array in (self.host, np.int64(7), np.zeros((0, 3), np.int32), np.array([True, False]), np.complex64([1 + 2j])):
            there = opsrun.asarray(array, "gpu")
            self.assertEqual((there.device, there.shape, there.dtype, there.size), ("gpu:0", array.shape, array.dtype, array.size))
            np.testing.assert_array_equal(there.numpy(), array)
        self.assertIs(opsrun.asarray(self.x, "gpu:0"), self.x)
        self.assertIs(self.x.to_device("gpu"), self.x)
        np.testing.assert_array_equal(opsrun.asarray(self.x, "cpu"), self.host)
        np.testing.assert_array_equal(np.asarray(self.x), self.host)
        self.assertIn("[3., 4., 5.]", repr(self.x))
        self.assertEqual(opsrun.asarray([1, 2], "gpu").dtype, np.int32)
        with self.assertRaisesRegex(ValueError, "not the name of a device"):
            opsrun.asarray(self.host, "cuda")

    def test_stay_there_through_ops_and_operators(self):
        y = math_ops.add(self.x, np.float32(1))
        z = (y * 2 - self.x) @ self.x.T / self.x.sum()
        self.assertEqual({type(each) for each in (y, z)}, {opsrun.DeviceArray})
        expected = ((self.host + 1) * 2 - self.host) @ self.host.T / self.host.sum()
        np.testing.assert_allclose(z.numpy(), expected, rtol=1e-6)
        np.testing.assert_array_equal((self.host + self.x).numpy(), 2 * self.host)
        np.testing.assert_allclose(np.tanh(self.x).numpy(), np.tanh(self.host), rtol=1e-6)
        self.assertTrue((self.x[1, 1:] < 5).numpy().tolist() == [True, False])
        self.assertEqual(float(self.x.max()), 5)
        self.assertTrue(self.x.sum() > 14)

    def test_an_op_without_a_kernel_there_gives_its_result_there(self):
        with self.subTest("strings stay on the CPU"):
            self.assertIsInstance(opsrun.asarray(np.array([b"a"], object), None), np.ndarray)
        index = opsrun.ops.array_ops.where(opsrun.asarray(np.array([True, False, True]), "gpu"))
        self.assertEqual((type(index), index.numpy().ravel().tolist()), (opsrun.DeviceArray, [0, 2]))

    def test_are_taken_from_and_given_to_other_packages(self):
        for versioned in (True, False):
            other = Foreign(self.x, versioned)
            np.testing.assert_array_equal(math_ops.neg(other).numpy(), -self.host)
            self.assertEqual(set(other.streams), {self.x._native.stream})
        for kwargs in ({"stream": -1}, {"stream": self.x._native.stream, "max_version": (1, 0)}):
            capsule = self.x.__dlpack__(**kwargs)
            del capsule  # nobody has taken it
        self.assertEqual(self.x.__dlpack_device__(), (2, 0))
        interface = self.x.__cuda_array_interface__
        self.assertEqual((interface["shape"], interface["typestr"], interface["version"]), ((2, 3), "<f4", 3))
        with self.assertRaises(ValueError):
            self.x.__dlpack__(stream=0)
        with self.assertRaises(BufferError):
            self.x.__dlpack__(copy=True)

    def test_live_as_long_as_somebody_uses_them(self):
        taken = opsrun.asarray(Foreign(self.x))
        del self.x
        gc.collect()
        np.testing.assert_array_equal((taken + 1).numpy(), self.host + 1)

    def test_traced_functions_run_where_their_arguments_are(self):
        @opsrun.function
        def step(w, x):
            return w - 0.5 * math_ops.square(w * x), (w * x).sum()

        w, x = opsrun.asarray(np.float32([1, 2, 3]), "gpu"), opsrun.asarray(np.float32(0.5), "gpu")
        expected = np.float32([1, 2, 3])
        for _ in range(4):
            w, total = step(w, x)
            expected, sum_ = expected - 0.5 * np.square(expected * np.float32(0.5)), (expected * np.float32(0.5)).sum()
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-6)
        self.assertEqual((w.device, round(total.item(), 4)), ("gpu:0", round(float(sum_), 4)))
        self.assertEqual({each.device for each in step.graph.plan(dict(zip(("w", "x"), (np.float32([1, 2, 3]), np.float32(1))))).steps
                          if each.op != "Copy"}, {"gpu:0"})
        self.assertIsInstance(step(np.float32([1]), np.float32(2))[0], np.ndarray)

    def test_training_copies_nothing_but_the_batch(self):
        data = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
        labels = data @ np.float32([1, -2, 0.5])
        # [train]
        @opsrun.value_and_grad
        def loss(w, x, y):
            return ((x @ w - y) * (x @ w - y)).mean()

        w = opsrun.asarray(np.zeros(3, np.float32), "gpu")
        for _ in range(200):
            value, gradient = loss(w, data, labels)
            w = w - 0.1 * gradient
        w  # about DeviceArray([1, -2, 0.5], dtype=float32, device='gpu:0')
        # [/train]
        np.testing.assert_allclose(w.numpy(), [1, -2, 0.5], atol=1e-3)

    def test_the_network_of_the_example_trains_there(self):
        random = np.random.default_rng(2)
        images, labels = random.random((64, 8, 8, 1)).astype(np.float32), random.integers(0, 10, 64).astype(np.int32)
        trained = {}
        for device in "cpu", "gpu":
            params = {name: opsrun.asarray(value, device) for name, value in digits.new_params().items()}
            with contextlib.redirect_stdout(io.StringIO()):
                trained[device] = digits.train(params, images, labels, epochs=1)
        for name, value in trained["gpu"].items():
            self.assertEqual(value.device, "gpu:0")
            np.testing.assert_allclose(value.numpy(), trained["cpu"][name], atol=1e-5)
        found = digits.classify(trained["gpu"], images)
        self.assertEqual({each.device for each in found.values()}, {"gpu:0"})
        # Nothing but feeds and results is copied: the count of a mean is known before the run.
        step = opsrun.function(lambda params, image, digit: opsrun.value_and_grad(digits.loss)(params, image, digit))
        step(trained["gpu"], images, labels)
        feeds = {each.name: np.zeros([n or 64 for n in each.shape], each.dtype) for each in step.graph.feeds}
        copied = [each.node for each in step.graph.plan(feeds).steps if each.op == "Copy"]
        self.assertEqual({name for name in copied if name.endswith(" to gpu:0")}, {f"{name} to gpu:0" for name in feeds})
        self.assertEqual(len(copied), len(feeds) + len(step.graph.outputs))

    def test_gradients_stay_there(self):
        loss = opsrun.value_and_grad(lambda w, x: math_ops.square(w @ x).sum())
        w, x = np.float32([[1, 2], [3, 4]]), np.float32([[1], [2]])
        value, gradient = loss(opsrun.asarray(w, "gpu"), opsrun.asarray(x, "gpu"))
        expected = loss(w, x)
        self.assertEqual((type(value), type(gradient)), (opsrun.DeviceArray,) * 2)
        np.testing.assert_allclose(gradient.numpy(), expected[1], rtol=1e-6)
        value, tangent = opsrun.jvp(lambda w: math_ops.square(w), (opsrun.asarray(w, "gpu"),), (opsrun.asarray(w, "gpu"),))
        self.assertEqual((type(value), type(tangent)), (opsrun.DeviceArray,) * 2)
        np.testing.assert_allclose(tangent.numpy(), 2 * w * w, rtol=1e-6)

    def test_graphs_take_them_as_feeds(self):
        graph = opsrun.Graph.from_yaml("opsrun: 1\nfeeds: {x: {dtype: float32}, k: {dtype: float32}}\n"
                                       "nodes: {y: {op: Mul, in: [x, k]}}\noutputs: [y]\n")
        result = graph.run(x=self.x, k=2.0)["y"]
        np.testing.assert_array_equal(result.numpy(), 2 * self.host)
        with self.assertRaisesRegex(TypeError, "declares float32"):
            graph.run(x=opsrun.asarray(np.int32([1]), "gpu"), k=2.0)

    def test_a_late_error_names_the_node_of_the_graph(self):
        """Whoever notices it: here the copy of a result of a later op. The nodes run where the feed is."""
        for number, node in (("1", "n"), ("2", "m")):
            done = subprocess.run([sys.executable, "-B", "-c", LATE], capture_output=True, text=True, check=False,
                                  env={**os.environ, "OPSRUN_DOUBLE_LATE": number, "OPSRUN_DOUBLE_STRICT": "0"})
            self.assertIn(f"node '{node}' failed: INTERNAL", done.stderr)
            self.assertIn("--> late.yaml:3:", done.stderr)

    def test_what_cannot_be_used_is_refused(self):
        with self.assertRaisesRegex(opsrun.errors.UnavailableError, "this machine has 1 GPU"):
            opsrun.asarray(self.host, "gpu:5")
        with self.assertRaisesRegex(Exception, "immutable"):
            self.x[0] = 1
        with self.assertRaisesRegex(ValueError, "only be copied"):
            np.array(self.x, copy=False)


if __name__ == "__main__":
    unittest.main()
