"""bench/peers/jax_calls.py: the cost of a plugin op's call in JAX, compared with a native XLA call.

Both run ZeroOut on 4 numbers in chains of 100 and of 1,000 calls, compiled by jax.jit and alternating in one process. A
program of 1,000 calls does not fit in the L2 cache.

usage: PYTHONPATH=build/release/python build/venv_jax/bin/python bench/peers/jax_calls.py ZERO_OUT.SO [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from in_turns import chain, compare, parser, print_header

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


def main():
    options = parser()
    options.add_argument("plugin")
    given = options.parse_args()
    x = jnp.array([5, 4, 3, 2], jnp.int32)
    ops = native_zero_out(), opsrun.jax.load_op_library(given.plugin).zero_out
    print(f"ns a call, JAX {jax.__version__}")
    print_header()
    for calls in (100, 1000):
        native, plugin = (jax.jit(lambda x, op=op, calls=calls: chain(op, x, calls)) for op in ops)
        assert native(x).tolist() == plugin(x).tolist()
        compare(f"jit, {calls} calls", lambda run=native: run(x).block_until_ready(),
                lambda run=plugin: run(x).block_until_ready(), given.rounds, calls)


if __name__ == "__main__":
    main()
