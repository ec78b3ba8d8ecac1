"""The list of tests that all frameworks have in common, in functions of TensorFlow.

SPDX-License-Identifier: Apache-2.0
"""
import pytest
from common_list import real_inputs, test_common, test_the_file_is_the_one_that_was_built, weights  # noqa: F401
from support import flat, np, tf, theirs

from opsrun._op_def import snake_case


class TensorFlow:
    NAME = "tensorflow"

    def run(self, op, inputs, attrs, outputs):
        return self._function(op, attrs)(inputs)

    def compile(self, op, inputs, attrs, outputs):
        return self._function(op, attrs, input_signature=[tf.TensorSpec([None] * x.ndim, x.dtype) for x in inputs])

    def gradient(self, op, inputs, attrs, order):
        call, reals = self._call(op, attrs), real_inputs(inputs)

        def slopes(given, order):
            with tf.GradientTape() as tape:
                tape.watch([given[i] for i in reals])
                if order == 2:
                    y = sum(tf.reduce_sum(each) for each in slopes(given, 1))
                else:
                    y = call(*given)
                    y *= tf.constant(weights(y.shape), y.dtype)
            return [tf.convert_to_tensor(each) for each in tape.gradient(y, [given[i] for i in reals])]

        return flat(tf.function(slopes)([tf.constant(each) for each in inputs], order))

    def named(self, case):
        names = [f"Opsrun_adapter_ops>{case.op}|opsrun_adapter_ops_{snake_case(case.op)}"]  # the op, or its function
        return [*names, *([case.blames.split()[-1]] if case.blames else [])]

    def _call(self, op, attrs):
        call = getattr(theirs.adapter_ops, snake_case(op))
        attrs = {name: tf.as_dtype(value) if isinstance(value, np.dtype) else value for name, value in attrs.items()}
        return lambda *given: call(*given, **attrs)

    def _function(self, op, attrs, **options):
        function = tf.function(self._call(op, attrs), **options)
        return lambda inputs: flat(function(*tf.nest.map_structure(tf.constant, inputs)))


host = pytest.fixture(lambda: TensorFlow())
