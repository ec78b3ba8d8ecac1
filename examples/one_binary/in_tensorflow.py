"""in_tensorflow.py: the plugin in TensorFlow.

usage: in_tensorflow.py shrink.so

SPDX-License-Identifier: Apache-2.0
"""

import sys

# [use]
import tensorflow as tf

import opsrun.tf

shrink = opsrun.tf.load_op_library(sys.argv[1])  # an op is Opsrun_shrink>PoolRows in graphs

@tf.function(input_signature=[tf.TensorSpec([None, None])])
def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = shrink.pool_rows(shrink.soft_threshold(x, threshold=1.0), rows=2)
    return tape.gradient(y, x)

slopes = gradient(tf.constant([[1, -3], [0.5, 2], [4, 0]]))
# [/use]
assert slopes.numpy().tolist() == [[0, 0.5], [0, 0.5], [1, 0]]

message = ""
# [failure]
try:
    with tf.GradientTape() as tape:
        x = tf.ones([2, 2])
        tape.watch(x)
        y = shrink.kept_rows(x)
    tape.gradient(y, x)
except LookupError as error:
    message = str(error)
expected = "gradient registry has no entry for: Opsrun_shrink>KeptRows"
# [/failure]
assert message == expected, message
