"""bench/peers/tensorflow_calls.py: the cost of a plugin op's call in TensorFlow, compared with the same source built for it.

Both run ZeroOut on 4 numbers in chains of 1,000 calls, alternating in one process. The script builds both with the
compiler flags that TensorFlow and opsrun report.

usage: PYTHONPATH=build/release/python build/venv_tensorflow/bin/python bench/peers/tensorflow_calls.py [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""
import os
import shlex
import subprocess
import tempfile

import native_ops
from in_turns import chain, compare, parser, print_header

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import tensorflow as tf  # noqa: E402

import opsrun.tf  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(native_ops.HERE))


def build(folder, opsrun_program):
    """Builds the source as a TensorFlow op and as a plugin."""
    source, plugin = os.path.join(native_ops.HERE, "tensorflow_zero_out.cc"), os.path.join(folder, "peer_zero_out.so")
    sdk = subprocess.run([opsrun_program, "sdk", "--cflags"], check=True, capture_output=True, text=True).stdout
    subprocess.run(["g++", "-O2", "-DNDEBUG", "-w", "-shared", source, "-o", plugin, "-std=c++17", *shlex.split(sdk)], check=True)
    native = tf.load_op_library(native_ops.of_tensorflow(folder))
    return native.peer_zero_out, opsrun.tf.load_op_library(plugin).peer_zero_out


def session(op, executor):
    config = tf.compat.v1.ConfigProto()
    config.experimental.executor_type = executor
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.int32, [4])
        last = chain(op, x)
        run = tf.compat.v1.Session(config=config).make_callable(last.op, feed_list=[x])
    return lambda: run([1, 2, 3, 4])


def main():
    options = parser()
    options.add_argument("--opsrun", default=os.path.join(ROOT, "build/release/bin/opsrun"))
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        native, plugin = build(folder, given.opsrun)
        x = tf.constant([1, 2, 3, 4])
        print(f"ns a call, TensorFlow {tf.__version__}")
        print_header()
        for executor in ("", "SINGLE_THREADED_EXECUTOR"):
            compare(f"Session, {executor.lower() or 'default executor'}"[:27], session(native, executor),
                    session(plugin, executor), given.rounds)
        functions = [tf.function(lambda x, op=op: chain(op, x), autograph=False) for op in (native, plugin)]
        compare("tf.function", *(lambda function=function: function(x) for function in functions), given.rounds)
        compare("eager", lambda: chain(native, x), lambda: chain(plugin, x), max(10, given.rounds // 4))


if __name__ == "__main__":
    main()
