"""The stubs that `opsrun wrap --stubs` writes say what the functions of a plugin are.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import glob
import importlib.util
import inspect
import math
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

import opsrun
from opsrun._program import prefix

PLUGINS = {os.path.basename(path)[:-3]: path for path in glob.glob(os.path.join(prefix(), "lib", "opsrun", "*.so"))}
PLUGINS["hostile"] = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "wrap", "hostile.so")
PLUGINS["name_lists"] = os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "python", "name_lists.so")


def wrap(*words):
    return subprocess.run([os.path.join(prefix(), "bin", "opsrun"), "wrap", "--stubs", "--no-default-plugins", *words],
                          capture_output=True, text=True, timeout=100, check=False)


def parsed(path):
    done = wrap(path)
    assert done.returncode == 0, done.stderr
    return ast.parse(done.stdout)


def value_of(node):
    return eval(ast.unparse(node), {"float": float})  # noqa: S307 (our own output)


def is_same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    return type(a) is type(b) and (a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b)))


def text_of(annotation):
    return ast.unparse(annotation).replace("_builtins.", "")


def type_of(arg, otherwise):
    return "Handle" if arg.is_resource else "Variant" if arg.is_variant else otherwise


def compare(node, function):
    """One function of a stub with what there is at run time."""
    parameters = list(inspect.signature(function).parameters.values())
    inputs = [each for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    attrs = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
    assert len(parameters) == len(inputs) + len(attrs)
    assert [each.arg for each in node.args.args] == [each.name for each in inputs]
    for stub, arg in zip(node.args.args, function.__wrapped_op__.op.inputs):
        one = type_of(arg, "Value")
        assert text_of(stub.annotation) == (f"Sequence[{one}]" if arg.list else one)
    assert [each.arg for each in node.args.kwonlyargs] == [each.name for each in attrs]
    for stub, default, attr in zip(node.args.kwonlyargs, node.args.kw_defaults, attrs):
        assert (default is None) == (attr.default is attr.empty), attr
        assert default is None or is_same(value_of(default), attr.default), attr
        assert text_of(stub.annotation) == ("str | None" if attr.name == "name" else attr.annotation)
    first, *lines = ast.get_docstring(node, clean=False).split("\n")
    assert "\n".join([first, *(line.removeprefix("    ") for line in lines)]) == function.__doc__


def compare_result(node, stub, function):
    """What it returns. stub: the whole module."""
    outputs = function.__wrapped_op__.op.outputs
    types = [f"list[{type_of(each, 'Array')}]" if each.list else type_of(each, "Array") for each in outputs]
    text = text_of(node.returns)
    if len(outputs) < 2:
        assert text == (types[0] if types else "None")
        return
    made = next(each.value for each in stub.body if isinstance(each, ast.Assign) and each.targets[0].id == text)
    assert ast.unparse(made.args[0]) == repr(text)
    assert [value_of(each.elts[0]) for each in made.args[1].elts] == list(
        function.__wrapped_op__.op.result_type()._fields)
    assert [text_of(each.elts[1]) for each in made.args[1].elts] == types


@pytest.mark.parametrize("plugin", sorted(PLUGINS))
def test_a_stub_says_what_the_functions_are(plugin):
    stub = parsed(PLUGINS[plugin])
    lib = opsrun.load_op_library(PLUGINS[plugin])
    functions = {each.name: each for each in stub.body if isinstance(each, ast.FunctionDef)}
    assert sorted(functions) == lib.__all__
    for name, node in functions.items():
        compare(node, getattr(lib, name))
        compare_result(node, stub, getattr(lib, name))


def test_names_that_clash_can_be_called():
    lib = opsrun.load_op_library(PLUGINS["hostile"])
    assert {"lambda_", "name_space", "name_space_", "name__space"} <= set(dir(lib))
    names = list(inspect.signature(lib.template).parameters)
    assert names[:4] == ["this", "int", "in_", "in__"] and names[-2:] == ["NULL", "name"] and "name_" in names
    assert lib.template.__wrapped_op__.op.result_type()._fields[:4] == ("struct", "list", "lambda_", "count")


def mypy(folder, code):
    path = folder / "user.py"
    path.write_text(textwrap.dedent(code))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", path],
        capture_output=True, text=True, timeout=300, check=False, cwd=folder,
        env={**os.environ, "MYPYPATH": f"{folder}:{pathlib.Path(opsrun.__file__).parents[1]}"})
    return done.stdout + done.stderr


def test_a_type_checker_finds_wrong_calls(tmp_path):
    pytest.importorskip("mypy")
    names = ["zero_out", "array_ops", "math_ops", "list_ops", "cast", "hostile", "name_lists"]
    done = wrap("-q", *(PLUGINS[name] for name in names), "-o", str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert sorted(os.listdir(tmp_path)) == sorted(f"{name}.pyi" for name in names)
    right = mypy(tmp_path, """
        import numpy as np
        import opsrun
        import array_ops, cast, hostile, list_ops, math_ops, name_lists, zero_out

        x = np.zeros(3, np.float32)
        y = zero_out.zero_out(x, preserve_index=1, name="y")
        z = math_ops.add(math_ops.mul(y, [1.0, 2, 3]), 0.5) + x
        found = array_ops.unique([7, 7, 8], out_idx=np.int64)
        values, idx = found
        print(found.idx[0], values.shape, cast.cast(z, DstT="int32").tolist())
        parts = list_ops.split(0, memoryview(b"ab"), num_split=2)
        print(parts[0], hostile.template.__doc__, zero_out.OP_LIST, list_ops.add_n([x, opsrun.Tensor]))
        print(name_lists.name_list_names(name_lists.name_list_push(name_lists.name_list_of(["a"]), "b")).tolist())
        """.replace(", opsrun.Tensor", ""))
    assert right == "Success: no issues found in 1 source file\n"
    wrong = mypy(tmp_path, """
        import array_ops, cast, list_ops, name_lists, zero_out

        zero_out.zero_out()
        zero_out.zero_out([1], 2)
        zero_out.zero_out([1], preserve_index="2")
        zero_out.zero_outs([1])
        cast.cast([1])
        list_ops.add_n(1)
        zero_out.zero_out(print)
        array_ops.unique([1]).index_
        name_lists.name_list_names("a")
        name_lists.name_list_of(["a"]).tolist()
        """)
    for line in range(4, 14):
        assert f"user.py:{line}: error: " in wrong, wrong


def test_a_module_beside_its_stub(tmp_path):
    (tmp_path / "my_math.py").write_text("""
# [module]
import opsrun

_ops = opsrun.ops.math_ops

def __getattr__(name: str) -> object:
    return getattr(_ops, name)
# [/module]
""")
    assert wrap(PLUGINS["math_ops"], "-o", str(tmp_path / "my_math.pyi")).returncode == 0
    code = """
# [use]
from my_math import add

print(add([1.0, 2.0], 0.5).tolist())  # a type checker knows add and what it returns
# [/use]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"})
    assert done.stdout == "[1.5, 2.5]\n", done.stderr
    if importlib.util.find_spec("mypy") is not None:
        assert mypy(tmp_path, code) == "Success: no issues found in 1 source file\n"


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    there = tmp_path / "zero_out.pyi"
    there.write_text("before")
    done = wrap(PLUGINS["zero_out"], str(tmp_path / "nothing.so"), "-o", str(tmp_path))
    assert done.returncode == 4 and there.read_text() == "before"
    done = wrap(PLUGINS["zero_out"], "-o", str(there))
    assert done.returncode == 0 and there.read_text() == wrap(PLUGINS["zero_out"]).stdout
    assert os.listdir(tmp_path) == ["zero_out.pyi"]


def test_a_plugin_is_not_overwritten(tmp_path):
    copy = shutil.copy(PLUGINS["zero_out"], tmp_path)
    before = pathlib.Path(copy).read_bytes()
    done = wrap(copy, "-o", copy)
    assert done.returncode == 2 and "error[U007]: -o and plugin" in done.stderr, done.stderr
    assert pathlib.Path(copy).read_bytes() == before
