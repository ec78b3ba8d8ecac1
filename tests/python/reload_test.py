"""opsrun.reload: the new file of a library.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shlex
import shutil
import subprocess

import numpy as np
import pytest

import opsrun
from opsrun._program import prefix

SOURCE = """#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
using namespace opsrun;
OPSRUN_PLUGIN("NAME", "1.0");
REGISTER_OP("OP").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
class TimesOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    const auto in = context->input(0).flat<float>();
    auto out = y->flat<float>();
    for (int64 i = 0; i < in.size(); ++i) out(i) = FACTOR * in(i);
  }
};
REGISTER_KERNEL_BUILDER(Name("OP").Device(DEVICE_CPU), TimesOp);
"""


def compile_plugin(folder, factor, op="Times", name="times"):
    """Builds times.so as linkers do: a new file takes the place of the old one."""
    (folder / "times.cc").write_text(SOURCE.replace("FACTOR", str(factor)).replace("OP\")", f'{op}\")').replace("NAME", name))
    flags = subprocess.run([os.path.join(prefix(), "bin", "opsrun"), "sdk", "--cflags"], check=True, capture_output=True, text=True)
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", "times.cc", "-o", "new.so", *shlex.split(flags.stdout)], cwd=folder,
                   check=True)
    os.rename(folder / "new.so", folder / "times.so")


def test_the_new_file_takes_the_place_of_the_old_one(tmp_path):
    compile_plugin(tmp_path, 2)
    lib = opsrun.load_op_library(tmp_path / "times.so")
    old = lib.times
    np.testing.assert_array_equal(old([1, 2]), [2, 4])

    @opsrun.function
    def twice_over(x):
        return lib.times(lib.times(x))

    @opsrun.function
    def of_old(x):
        return old(x)

    one = np.float32([1])
    assert twice_over(one) == [4] and of_old(one) == [2]
    graph = "opsrun: 1\nfeeds: {x: {value: [1], dtype: float32}}\nnodes: {t: {op: times.Times, in: x}}\noutputs: [t]\n"
    (tmp_path / "g.yaml").write_text(graph)
    loaded = opsrun.Graph.load(tmp_path / "g.yaml")
    assert opsrun.reload(lib) is lib and lib.times is old  # nothing has changed

    for factor in (3, 5):
        before = lib.times
        compile_plugin(tmp_path, factor)
        assert opsrun.reload(lib) is lib
        assert lib.times is not before
        np.testing.assert_array_equal(lib.times([1, 2]), [factor, 2 * factor])
        np.testing.assert_array_equal(lib.times(one), [factor])
        assert twice_over(one) == [factor * factor]
        for call in (lambda: old([1, 2]), lambda: old(one), lambda: before(one), lambda: of_old(one)):
            with pytest.raises(opsrun.errors.FailedPreconditionError, match=r"opsrun.reload\(\) has replaced since.*lib.times\(\)"):
                call()
        assert loaded.run()["t"] == [2]  # keeps its code
        assert opsrun.Graph.load(tmp_path / "g.yaml").run()["t"] == [factor]
        assert opsrun.load_op_library(tmp_path / "times.so") is lib

    # Other ops, and then a file that is refused: the one before stays in use.
    compile_plugin(tmp_path, 7, op="Multiply")
    opsrun.reload(lib)
    assert lib.OP_LIST == ("Multiply",) and not hasattr(lib, "times")
    np.testing.assert_array_equal(lib.multiply(one), [7])
    compile_plugin(tmp_path, 8, op="Multiply", name="other")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="it is plugin 'other' now, and was 'times'"):
        opsrun.reload(lib)
    (tmp_path / "text").write_text("not a library")
    os.rename(tmp_path / "text", tmp_path / "times.so")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="is refused"):
        opsrun.reload(lib)
    os.remove(tmp_path / "times.so")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="it was removed after it was loaded"):
        opsrun.reload(lib)
    np.testing.assert_array_equal(lib.multiply(one), [7])


def test_a_file_that_is_rewritten_in_place_is_refused(tmp_path):
    compile_plugin(tmp_path, 2, op="InPlace", name="in_place")
    lib = opsrun.load_op_library(tmp_path / "times.so")
    with open(tmp_path / "times.so", "ab") as file:
        file.write(b"\0")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="rewritten in place"):
        opsrun.reload(lib)


def test_other_objects_are_refused(tmp_path):
    path = shutil.copy(os.path.join(prefix(), "lib", "opsrun", "pad.so"), tmp_path)
    with pytest.raises(TypeError, match=r"reload\(\) takes a module of load_op_library\(\), not str"):
        opsrun.reload(path)
