"""bench/peers/pytorch_calls.py: the cost of a plugin op's call in PyTorch, compared with an op written for PyTorch.

Both run ZeroOut on 4 numbers in chains of 1,000 calls, alternating in one process. The script builds the native op with
one command. With gradients, the other op is torch.library.custom_op with register_autograd, around the native kernel, and
a call includes its part of the backward pass.

usage: PYTHONPATH=build/release/python build/venv_torch/bin/python bench/peers/pytorch_calls.py [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""
import os
import tempfile

import native_ops
import torch
from in_turns import CHAIN, chain, compare, parser, print_header

import opsrun.torch

ROOT = os.path.dirname(os.path.dirname(native_ops.HERE))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))


def scripted(name):
    """The same chain in TorchScript, which calls operators without Python."""
    scope = {}
    text = f"def run(x):\n    for _ in range({CHAIN}):\n        x = torch.ops.{name}.ZeroOut(x)\n    return x\n"
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    exec(compile(text, file.name, "exec"), {"torch": torch, "__name__": "peers"}, scope)  # noqa: S102
    try:
        return torch.jit.script(scope["run"])
    finally:
        os.unlink(file.name)


def with_gradient(native):
    """The native op as a custom op, whose gradient is the one that the plugin declares."""

    @torch.library.custom_op("native_peer_python::ZeroOut", mutates_args=())
    def zero_out(x: torch.Tensor, preserve_index: int = 0) -> torch.Tensor:
        return native(x, preserve_index=preserve_index)

    zero_out.register_fake(lambda x, preserve_index=0: torch.empty_like(x))

    def setup_context(ctx, inputs, output):
        ctx.preserve_index = inputs[1]

    zero_out.register_autograd(lambda ctx, gradient: (zero_out(gradient, ctx.preserve_index), None), setup_context=setup_context)
    return zero_out


def slope(run, x):
    return torch.autograd.grad(run(x).sum(), x)


def compiled(op):
    """A chain, as calls of a compiled function of 20 calls."""
    most = 20

    @torch.compile(fullgraph=True)
    def few(x):
        for _ in range(most):
            x = op(x)
        return x

    def run(x):
        for _ in range(CHAIN // most):
            x = few(x)
        return x

    return run


def main():
    rounds = parser().parse_args().rounds
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        torch.ops.load_library(native_ops.of_pytorch(folder))
        ops = opsrun.torch.load_op_library(os.path.join(ROOT, "build/release/lib/opsrun/zero_out.so"))
        native, plugin = torch.ops.native_peer.ZeroOut, ops.ZeroOut
        x = torch.tensor([1, 2, 3, 4], dtype=torch.int32)
        print(f"ns a call, PyTorch {torch.__version__}, one thread, {os.cpu_count()} x {processor()}\n")
        print_header()
        compare("eager", lambda: chain(native, x), lambda: chain(plugin, x), rounds)
        compare("eager, overload", lambda: chain(native.default, x), lambda: chain(plugin.default, x), rounds)
        with torch.inference_mode():
            compare("eager, inference mode", lambda: chain(native, x), lambda: chain(plugin, x), rounds)
        of_native, of_plugin = scripted("native_peer"), scripted("opsrun_zero_out")
        compare("TorchScript", lambda: of_native(x), lambda: of_plugin(x), rounds)
        fast_native, fast_plugin = compiled(native.default), compiled(plugin.default)
        compare("compiled", lambda: fast_native(x), lambda: fast_plugin(x), rounds)
        other, y = with_gradient(native), torch.randn(4, requires_grad=True)
        few = max(1, rounds // 10)  # these calls take longer
        compare("eager, gradient", lambda: slope(lambda y: chain(other, y), y), lambda: slope(lambda y: chain(plugin, y), y), few)
        fast_other = compiled(other)
        compare("compiled, gradient", lambda: slope(fast_other, y), lambda: slope(fast_plugin, y), few)


if __name__ == "__main__":
    main()
