"""bench/peers/pytorch.py: the cost of a plugin op's call in PyTorch, compared with an op written for PyTorch.

Both run ZeroOut on 4 numbers in chains of 1,000 calls, alternating in one process. The script builds the native op with
one command.

usage: PYTHONPATH=build/release/python build/venv_torch/bin/python bench/peers/pytorch.py [--rounds N]

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sysconfig
import tempfile

import torch
from in_turns import CHAIN, chain, compare, parser, print_header

import opsrun.torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))


def build_native(folder):
    """Builds and loads the native op. Calls the compiler directly, since PyTorch's builder requires ninja."""
    home = os.path.dirname(torch.__file__)
    target = os.path.join(folder, "native.so")
    includes = [f"{home}/include", f"{home}/include/torch/csrc/api/include", sysconfig.get_paths()["include"]]
    # PyTorch's libraries depend on CUDA libraries that only Python can find.
    subprocess.run(["g++", "-std=c++20", "-O3", "-shared", "-fPIC", "-o", target, os.path.join(HERE, "pytorch_native.cc"),
                    *(f"-I{path}" for path in includes), f"-L{home}/lib", "-lc10", "-ltorch_cpu",
                    "-Wl,--allow-shlib-undefined"], check=True)
    torch.ops.load_library(target)


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


def main():
    rounds = parser().parse_args().rounds
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        build_native(folder)
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


if __name__ == "__main__":
    main()
