"""bench/peers/native_ops.py: builds ZeroOut as an op of each framework, with its own interface.

Each function compiles for the running interpreter's version, into a folder, and returns the library's path.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
import sys
import sysconfig

HERE = os.path.dirname(os.path.abspath(__file__))


def _build(folder, name, source, *flags):
    """Compiles the source unless the library is newer. Raises RuntimeError with what the compiler says."""
    library, source = os.path.join(folder, f"{name}.so"), os.path.join(HERE, source)
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(source):
        made = subprocess.run(["g++", "-DNDEBUG", "-fPIC", "-shared", "-w", source, "-o", f"{library}.new", *flags],
                              capture_output=True, text=True, check=False)
        if made.returncode != 0:
            lines = [line for line in made.stderr.splitlines() if "error" in line] or ["g++ failed"]
            raise RuntimeError(f"cannot build {os.path.basename(source)}: {lines[0]}")
        os.replace(f"{library}.new", library)
    return library


def of_onnxruntime(folder):
    """Needs the headers of ONNX Runtime in the environment, where scripts/frameworks puts them."""
    import onnxruntime

    return _build(folder, f"onnxruntime-{onnxruntime.__version__}", "onnx_native.cc", "-std=c++17", "-O2", "-isystem",
                  f"{sys.prefix}/include/onnxruntime")


def of_pytorch(folder):
    """Calls the compiler directly, since PyTorch's builder requires ninja."""
    import torch

    home = os.path.dirname(torch.__file__)
    includes = [f"{home}/include", f"{home}/include/torch/csrc/api/include", sysconfig.get_paths()["include"]]
    # PyTorch's libraries depend on CUDA libraries that only Python can find.
    return _build(folder, f"torch-{torch.__version__}", "pytorch_native.cc", "-std=c++20", "-O3",
                  *(f"-I{path}" for path in includes), f"-L{home}/lib", "-lc10", "-ltorch_cpu", "-Wl,--allow-shlib-undefined")


def of_tensorflow(folder):
    import tensorflow as tf

    return _build(folder, f"tensorflow-{tf.__version__}", "tensorflow_zero_out.cc", "-O2", *tf.sysconfig.get_compile_flags(),
                  *tf.sysconfig.get_link_flags())
