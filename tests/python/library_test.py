"""Libraries of ops: loading them, and how their functions look.

SPDX-License-Identifier: Apache-2.0
"""

import inspect
import io
import os
import pydoc
import shutil
import subprocess
import sys

import numpy as np
import pytest

import opsrun
from opsrun._op_def import snake_case
from opsrun._program import prefix

PLUGINS = os.path.join(prefix(), "lib", "opsrun")


@pytest.mark.parametrize("camel, snake", [
    ("MatMul", "mat_mul"), ("Conv2D", "conv2d"), ("TFRecordReader", "tf_record_reader"), ("IsNaN", "is_na_n"),
    ("MyLib>FftND", "my_lib_fft_nd"), ("My_Lib>Cell", "my__lib_cell"), ("K", "k"), ("A1>KiOS", "a1_ki_os"),
])
def test_names(camel, snake):
    assert snake_case(camel) == snake


def test_a_library_is_a_module_of_its_ops():
    lib = opsrun.load_op_library(os.path.join(PLUGINS, "zero_out.so"))
    assert lib.OP_LIST == ("ZeroOut",)
    assert dir(lib) == ["LIB_PATH", "OP_LIST", "zero_out"]
    np.testing.assert_array_equal(lib.zero_out([1, 2]), [1, 0])
    assert opsrun.load_op_library(os.path.join(PLUGINS, "zero_out.so")) is lib
    with pytest.raises(AttributeError, match="plugin 'zero_out' has no op 'zero'; did you mean 'zero_out'"):
        lib.zero  # noqa: B018


def run(code, cwd=None, **environment):
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, cwd=cwd,
                          env={**os.environ, **environment}, check=False)
    sys.stderr.write(done.stderr)  # shown if the test fails
    return done.stdout


def test_a_library_of_ones_own_comes_before_the_installed_one(tmp_path):
    copy = shutil.copy(os.path.join(PLUGINS, "zero_out.so"), tmp_path)
    assert run(f"import opsrun; lib = opsrun.load_op_library({copy!r}); print(lib.LIB_PATH, lib.zero_out([1, 2]))\n"
               "print(opsrun.ops.zero_out is lib)") == f"{copy} [1 0]\nTrue\n"


def test_a_library_that_is_refused_says_why(tmp_path):
    text = tmp_path / "text.so"
    text.write_text("not a library")
    with pytest.raises(opsrun.errors.FailedPreconditionError, match="is refused") as caught:
        opsrun.load_op_library(text)
    assert caught.value.diagnostics[0].help


COLUMNS = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "graph_ops", "columns.so")


def test_the_file_beside_a_library_completes_its_ops():
    lib = opsrun.load_op_library(COLUMNS)
    assert lib.cut_columns.__doc__.startswith("Cuts a matrix into its first k columns and the rest.")
    gradient = opsrun.grad(lambda x: lib.cut_columns(x, k=1).rest.sum())
    np.testing.assert_array_equal(gradient(np.float32([[1, 2, 3]])), [[0, 1, 1]])


ATTACH = """
import pathlib, opsrun
def attached(text):
    pathlib.Path("elsewhere.yaml").write_text("opsrun_ops: 1\\n" + text)
    try:
        return opsrun.attach("columns.so", "elsewhere.yaml").negate.__doc__.splitlines()[0]
    except opsrun.errors.FailedPreconditionError as error:
        return error
"""


def test_a_file_is_attached_to_a_library_until_it_is_right(tmp_path):
    shutil.copy(COLUMNS, tmp_path)
    said = run(ATTACH + "print(attached('ops: {Negat: {}}'))\nprint(attached('ops: {'))\n"
               "print(attached('ops: {Negate: {replace: [doc], doc: Minus.}}'))\nprint(attached('ops: {}'))", tmp_path)
    assert "plugin 'columns' has no op 'Negat'" in said
    assert f"{tmp_path}/elsewhere.yaml:2:7" in said
    assert "'{' is never closed" in said
    assert said.endswith("\nMinus.\nMinus.\n")  # what is loaded stays


def test_a_file_is_not_attached_to_a_library_in_use(tmp_path):
    shutil.copy(COLUMNS, tmp_path)
    said = run(ATTACH + "opsrun.load_op_library('columns.so')\nprint(attached('ops: {}'))", tmp_path)
    assert "it is open without" in said


def test_a_library_to_attach_to_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        opsrun.attach(tmp_path / "nothing.so", tmp_path / "nothing.yaml")


def test_plugins_by_name():
    assert {"math_ops", "array_ops", "pad"} <= set(dir(opsrun.ops))
    with pytest.raises(AttributeError, match="no plugin 'nothing' is installed; plugins: .*math_ops"):
        opsrun.ops.nothing  # noqa: B018


def test_nothing_of_the_current_folder_is_installed(tmp_path):
    """What others may have put there: folders named as ours, plugins, a distribution with plugins, and a probe."""
    here = tmp_path / "here"
    for folder in ("here/opsrun", "here/lib/opsrun", "here/mine", "here/mine.dist-info", "lib/opsrun", "libexec/opsrun"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("here/opsrun", "here/lib/opsrun", "here/mine", "lib/opsrun"):
        shutil.copy(os.path.join(PLUGINS, "zero_out.so"), tmp_path / folder / "planted.so")
    (here / "mine.dist-info/entry_points.txt").write_text("[opsrun.plugins]\nmine = mine\n")
    probe = tmp_path / "libexec/opsrun/opsrun-probe"
    probe.write_text(f"#!/bin/sh\ntouch {tmp_path}/executed\n")
    probe.chmod(0o755)
    assert run("import opsrun, opsrun._program\nprint(opsrun.ops.zero_out.zero_out([1, 2]), 'planted' in dir(opsrun.ops))\n"
               "print(opsrun._program.plugin_path())", cwd=here, XDG_CACHE_HOME=str(tmp_path / "cache")) == "[1 0] False\n[]\n"
    assert not (tmp_path / "executed").exists()


def test_signatures():
    op = opsrun.ops.array_ops.strided_slice
    assert str(inspect.signature(op)).startswith("(input, begin, end, strides, *, begin_mask: 'int' = 0, end_mask")
    assert str(inspect.signature(op)).endswith("name=None)")
    assert op.__name__ == "strided_slice" and op.__module__ == "opsrun.ops.array_ops"
    assert inspect.isroutine(op)


def test_help_is_a_page():
    page = io.StringIO()
    pydoc.doc(opsrun.ops.pad.pad, output=page) if sys.version_info >= (3, 12) else page.write(
        pydoc.plain(pydoc.render_doc(opsrun.ops.pad.pad)))
    text = page.getvalue()
    for expected in ("pad(input, paddings, *, name=None)", "Puts a border of zeros", "paddings: a tensor of type Tpaddings",
                     "Returns:", "output: a tensor of type T"):
        assert expected in text


def test_an_op_can_be_a_member_of_a_class():
    class Model:
        negate = opsrun.ops.math_ops.neg

    assert Model().negate(np.int32(1)) == -1


@pytest.mark.parametrize("code, beginning", [
    ("import sys, opsrun; print('numpy' in sys.modules)", "False\n"),  # importing costs little
    ("import opsrun; opsrun.configure(device='gpu:99')\ntry: opsrun.ops.zero_out.zero_out([1])\n"
     "except opsrun.errors.UnavailableError as e: print(str(e)[str(e).index('device'):])", "device 'gpu:99' cannot be used: "),
    ("import opsrun; opsrun.configure(threads=1, default_plugins=False); print(dir(opsrun.ops))\n"
     "try: opsrun.configure()\nexcept RuntimeError as e: print(e)", "[]\nopsrun.configure must be called before"),
])
def test_a_process_of_its_own(code, beginning):
    assert run(code).startswith(beginning)


def test_a_failed_node_is_written(tmp_path):
    fails = ("try: opsrun.ops.string_to_number.string_to_number(['x'])\n"
             "except opsrun.errors.InvalidArgumentError as e: print('replay this node alone: opsrun run d' in str(e.diagnostics))\n")
    assert run("import opsrun; opsrun.configure(repro_dir='d')\n" + fails + fails, cwd=tmp_path) == "True\nFalse\n"
    again = subprocess.run([os.path.join(prefix(), "bin", "opsrun"), "run", "d"], cwd=tmp_path, capture_output=True,
                           text=True, timeout=120, check=False)
    assert again.returncode == 1 and "error[R401]" in again.stderr
    refused = "try: opsrun.configure(repro_dir='d')\nexcept opsrun.errors.InvalidArgumentError as e: print(e)"
    assert "the folder 'd' is not empty" in run("import opsrun\n" + refused, cwd=tmp_path)
