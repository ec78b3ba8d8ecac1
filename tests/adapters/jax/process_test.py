"""Threads, several hosts in a process, and programs that are stored.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import gc
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import kept
import numpy as np
import pytest

import opsrun
import opsrun.jax


def test_loops_of_kernels_use_the_threads_of_xla(ops):
    x = np.arange(20_000, dtype=np.int32)
    for run in (ops.adapter_ops.threads, jax.jit(ops.adapter_ops.threads)):
        np.testing.assert_array_equal(run(x), x + 1)


def test_several_threads_call_one_op(ops):
    def work(seed):
        for i in range(40):
            x = jnp.full(4, seed * 100 + i)
            assert ops.zero_out.zero_out(x, preserve_index=i % 4).sum() == seed * 100 + i
            assert ops.adapter_ops.threads(x).tolist() == [seed * 100 + i + 1] * 4

    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))


def test_two_hosts_share_a_plugin(plugins):
    in_jax = opsrun.jax.load_op_library(plugins.adapter_ops)
    in_opsrun = opsrun.load_op_library(plugins.adapter_ops)
    x = np.float32([1, 2, 3])
    mine = jax.jit(in_jax.scratch)
    for i in range(3):
        np.testing.assert_array_equal(mine(in_opsrun.scratch(x + i).again).doubled, 4 * (x + i))
        np.testing.assert_array_equal(in_opsrun.scratch(mine(x + i).again).doubled, 4 * (x + i))


def test_a_kernel_object_is_for_equal_calls_and_ends_with_them(ops):
    from opsrun.jax import _prepared

    previous = ops.adapter_ops.previous
    one, two = jax.jit(lambda x: previous(x)), jax.jit(lambda x: 1 * previous(x))
    assert float(one(jnp.float32([7]))[0]) == 7
    assert float(two(jnp.float32([8]))[0]) == 7
    del one, two
    previous.__closure__[0].cell_contents._known.clear()
    _prepared._prepared.clear()
    jax.clear_caches()
    gc.collect()
    assert float(previous(jnp.float32([9]))[0]) == 9


def test_calls_end_with_the_last_that_needs_them(ops, monkeypatch):
    from opsrun.jax import _prepared

    monkeypatch.setattr(_prepared._prepared, "most", 4)
    zero_out, x = ops.zero_out.zero_out, jnp.arange(60)
    assert int(zero_out(x)[0]) == 0  # drops all but 4 calls
    of_others, programs = kept.ops(), kept.programs()
    for index in range(60):
        assert int(zero_out(x, preserve_index=index)[index]) == index
    kept.forget(ops.zero_out)
    assert kept.ops() <= of_others + 4 and kept.programs() <= programs + 4


STORED = """
import sys, jax, jax.numpy as jnp, opsrun.jax
jax.config.update("jax_compilation_cache_dir", sys.argv[2])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
ops = opsrun.jax.load_op_library(sys.argv[1])
print(jax.jit(lambda x: ops.zero_out(x, preserve_index=2) + 1)(jnp.array([5, 4, 3])).tolist())
"""


def test_a_stored_program_runs_in_another_process(plugins, tmp_path):
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", STORED, plugins.zero_out, str(tmp_path)], capture_output=True, text=True,
                              check=False)
        assert done.stdout == "[1, 1, 4]\n", done.stderr
    assert os.listdir(tmp_path)


def test_a_program_that_is_exported_runs(ops):
    from jax import export

    ignore = [export.DisabledSafetyCheck.custom_call("opsrun.zero_out.ZeroOut")]
    exported = export.export(jax.jit(ops.zero_out.zero_out), disabled_checks=ignore)(jnp.arange(3))
    assert exported.call(jnp.array([4, 5, 6])).tolist() == [4, 0, 0]
    with pytest.raises(opsrun.errors.UnimplementedError, match="zero_out.ZeroOut: the sizes of inputs must be numbers"):
        export.export(jax.jit(ops.zero_out.zero_out), disabled_checks=ignore)(
            jax.ShapeDtypeStruct(export.symbolic_shape("n"), jnp.int32))


LOADED = """
import sys, jax, numpy as np, opsrun.jax
opsrun.jax.load_op_library(sys.argv[1])
call = jax.ffi.ffi_call("opsrun.zero_out.ZeroOut", jax.ShapeDtypeStruct((3,), np.int32))
print(call(np.int32([4, 5, 6]), op="{opsrun: 1, feeds: {x: {dtype: int32}}, nodes: {y: {op: ZeroOut, in: {to_zero: x}}}}").tolist())
"""


def test_a_stored_program_needs_nothing_but_the_loaded_plugin(plugins):
    done = subprocess.run([sys.executable, "-c", LOADED, plugins.zero_out], capture_output=True, text=True, check=False)
    assert done.stdout == "[4, 0, 0]\n", done.stderr


def test_an_older_jax_is_refused():
    text = "import jax; jax.__version__, jax.__version_info__ = '0.5.3', (0, 5, 3); import opsrun.jax"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == ("ImportError: opsrun.jax needs JAX 0.6 or later, but this is JAX 0.5.3: "
                                            "pip install --upgrade jax")
