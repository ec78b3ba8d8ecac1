"""One build for all versions of PyTorch: what the extension module uses of them.

SPDX-License-Identifier: Apache-2.0
"""

import re
import subprocess
import sys

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from opsrun.torch import _native, _plain


def test_the_module_uses_only_stable_functions():
    symbols = subprocess.run(["nm", "-DC", "--undefined-only", _native.__file__], capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in symbols.splitlines()]
    assert "torch_call_dispatcher" in names
    foreign = [name for name in names if re.search(r"\b(c10|at|torch|caffe2|pybind11)::", name)]
    assert foreign == []


class _Calls(TorchDispatchMode):
    def __init__(self):
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.name())
        return func(*args, **(kwargs or {}))


def test_it_is_known_which_calls_need_only_the_kernel(zero_out):
    assert _plain.learn()
    rests = [torch.randn(7, requires_grad=True) * i for i in range(100)]
    del rests  # new objects contain what is left of them
    assert len({_plain._find() for _ in range(50)}) == 1

    def goes_through_python(x):
        with torch.profiler.profile() as profile:
            zero_out(x)
        return any(event.name.endswith("::_ZeroOut_autograd") for event in profile.events())

    x, parameter = torch.ones(3), torch.nn.Parameter(torch.ones(3))
    for plain in (x, torch.tensor([1, 2]), x.clone(), x.to(torch.complex64).real.clone()):
        assert not goes_through_python(plain)
    assert goes_through_python(parameter) and goes_through_python(parameter * 2)
    with torch.no_grad():
        assert not goes_through_python(parameter) and not goes_through_python(parameter[:2].clone())
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, x)
            assert goes_through_python(dual) and goes_through_python(dual * 2)
    with _Calls() as calls:
        zero_out(x)
    assert calls.names == ["opsrun_zero_out::ZeroOut"]


def test_results_are_the_same_without_that_knowledge(zero_out_so):
    code = f"""
import torch
from torch.utils._python_dispatch import TorchDispatchMode as Mode
enter, Mode.__enter__ = Mode.__enter__, None  # as if this version of PyTorch were another one
import opsrun.torch
assert not opsrun.torch._plain.learn()
Mode.__enter__ = enter
zero_out = opsrun.torch.load_op_library({zero_out_so!r}).zero_out
x = torch.ones(3, requires_grad=True)
zero_out(x, preserve_index=1).sum().backward()
assert x.grad.tolist() == [0, 1, 0] and zero_out(torch.ones(2)).tolist() == [1, 0]
try:
    zero_out(torch.ones(2), preserve_index=2)
except ValueError as error:
    assert "preserve_index is 2" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-B", "-c", code], check=True)


def test_more_ops_than_a_process_can_have():
    code = """
import torch
from opsrun.torch import _library, _native
assert _library._plugins.engine is _native
library = torch.library.Library("many", "DEF")
try:
    for i in range(5000):
        library.define(f"op{i}(Tensor x) -> Tensor")
        _native.implement("a.Op", f"many::op{i}", [("x", False)], [], [("y", False)])
except MemoryError as error:
    assert i == 4096 and "many::op4096: a process can have at most 4096 ops of plugins in PyTorch; load fewer" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-B", "-c", code], check=True)
