"""What the tests of opsrun.tf share: plugins, and the same call in opsrun and in TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import os
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

import opsrun  # noqa: E402
import opsrun.tf  # noqa: E402
from opsrun._program import prefix  # noqa: E402

PLUGINS = os.path.dirname(os.environ["OPSRUN_ADAPTER_OPS"])
FOLDERS = (PLUGINS, os.path.join(PLUGINS, "../plugins/graph_ops"), os.path.join(prefix(), "lib", "opsrun"))


def path_of(name):
    """The file of a plugin of the tests, or of one that comes with opsrun."""
    return next(path for path in (os.path.join(folder, name + ".so") for folder in FOLDERS) if os.path.exists(path))


def load(name):
    """The ops of one file: those of opsrun's Python package, and those of TensorFlow."""
    path = path_of(name)
    return opsrun.load_op_library(path), opsrun.tf.load_op_library(path)


def flat(result):
    """The arrays of a result, lists flattened; bytes for strings."""
    return [np.asarray(each) for each in tf.nest.flatten(list(result) if isinstance(result, tuple) else result)]


class TestCase(unittest.TestCase):
    def assert_same(self, op, theirs, *inputs, **attrs):
        """The op gives the same in opsrun, in TensorFlow, and in a function of TensorFlow for tensors of unknown shapes."""
        expected = flat(op(*inputs, **attrs))
        self.assert_equal(flat(theirs(*inputs, **attrs)), expected)

        def spec(value):
            if isinstance(value, list):
                return [spec(each) for each in value]
            return tf.TensorSpec([None] * np.ndim(value), tf.convert_to_tensor(value).dtype)

        function = tf.function(lambda *given: theirs(*given, **attrs), input_signature=[spec(each) for each in inputs])
        self.assert_equal(flat(function(*inputs)), expected)

    def assert_equal(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected, strict=True):
            self.assertEqual(a.shape, b.shape)
            self.assertEqual(a.tolist(), b.tolist())
