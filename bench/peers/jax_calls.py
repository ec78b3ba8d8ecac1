"""The cost of an op's call in JAX through opsrun.jax, compared with a native XLA call, alternating in one process.

usage: jax_calls.py ZERO_OUT.SO [--calls N] [--rounds N] [--at-most RATIO]

A chain of calls on four int32, compiled by jax.jit. Prints nanoseconds per call: the median and the minimum of all
rounds. With --at-most, the exit status is 1 if the ratio of the medians is larger.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import ctypes
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np

import opsrun.jax


def native_zero_out():
    """The op as a native XLA call, compiled for this version of JAX."""
    source = pathlib.Path(__file__).parent / "jax_native.cc"
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/zero_out.so"
        subprocess.run(["g++", "-std=c++17", "-O2", "-w", "-fPIC", "-shared", "-isystem", jax.ffi.include_dir(), source,
                        "-o", library], check=True)
        handler = ctypes.CDLL(library).zero_out
    jax.ffi.register_ffi_target("native_zero_out", jax.ffi.pycapsule(handler), platform="cpu")

    def zero_out(x):
        return jax.ffi.ffi_call("native_zero_out", jax.ShapeDtypeStruct(x.shape, x.dtype))(x, preserve_index=np.int64(0))

    return zero_out


def chain(op, calls):
    @jax.jit
    def run(x):
        for _ in range(calls):
            x = op(x)
        return x

    return run


def nanoseconds(run, x, calls):
    begin = time.perf_counter_ns()
    run(x).block_until_ready()
    return (time.perf_counter_ns() - begin) / calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--at-most", type=float)
    options = parser.parse_args()
    runs = {"native": chain(native_zero_out(), options.calls),
            "opsrun.jax": chain(opsrun.jax.load_op_library(options.plugin).zero_out, options.calls)}
    x = jnp.array([5, 4, 3, 2], jnp.int32)
    assert len({tuple(run(x).tolist()) for run in runs.values()}) == 1
    times = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            times[name].append(nanoseconds(run, x, options.calls))
    medians = {name: statistics.median(each) for name, each in times.items()}
    for name, each in times.items():
        print(f"{name:12} median {medians[name]:7.1f} ns   least {min(each):7.1f} ns")
    ratio = medians["opsrun.jax"] / medians["native"]
    print(f"ratio of the medians: {ratio:.2f}, of the least: {min(times['opsrun.jax']) / min(times['native']):.2f}")
    return options.at_most is not None and ratio > options.at_most


if __name__ == "__main__":
    sys.exit(main())
