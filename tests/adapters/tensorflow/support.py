"""What the tests of opsrun.tf share: plugins, and the same call in opsrun and in TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import operator
import os
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from libraries import Libraries, path_of  # noqa: E402, F401

import opsrun  # noqa: E402
import opsrun.tf  # noqa: E402

# In opsrun's own Python package, and in TensorFlow.
ours, theirs = Libraries(opsrun.load_op_library), Libraries(opsrun.tf.load_op_library)


def gradients(function, *inputs):
    """The gradients of what the function gives, one for each input."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    return tape.gradient(y, inputs)


def flat(result):
    """The arrays of a result, lists flattened; bytes for strings."""
    return [np.asarray(each) for each in tf.nest.flatten(list(result) if isinstance(result, tuple) else result)]


class TestCase(unittest.TestCase):
    def assert_same(self, name, /, *inputs, **attrs):
        """The op "plugin.op" gives the same in opsrun, in TensorFlow, and in a function of TensorFlow for tensors of unknown
        shapes."""
        mine, op = (operator.attrgetter(name)(each) for each in (ours, theirs))
        expected = flat(mine(*inputs, **attrs))
        self.assert_equal(flat(op(*inputs, **attrs)), expected)

        def spec(value):
            if isinstance(value, list):
                return [spec(each) for each in value]
            return tf.TensorSpec([None] * np.ndim(value), tf.convert_to_tensor(value).dtype)

        function = tf.function(lambda *given: op(*given, **attrs), input_signature=[spec(each) for each in inputs])
        self.assert_equal(flat(function(*inputs)), expected)

    def assert_equal(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected, strict=True):
            self.assertEqual(a.shape, b.shape)
            self.assertEqual(a.tolist(), b.tolist())
