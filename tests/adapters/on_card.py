"""on_card.py: builds the adapters in JAX and PyTorch with the GPU kernels of some plugins, and runs their tests on a card.

usage: on_card.py [BUILD]     BUILD: a folder for the build; the default is build/on_card

Run it with a Python that has NumPy, pytest, and JAX for CUDA with nanobind, or PyTorch for CUDA, or both, on a machine with
nvcc; it needs no network. Where there is no card, or neither framework, it says so and exits with 77.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PLUGINS = ["zero_out", "math_ops", "shape_ops", "array_ops"]
FRAMEWORKS = {"jax": "jax", "torch": "pytorch"}  # and the folder of the adapter's tests


def cards():
    """The compute capabilities of the cards, such as "90"."""
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True,
                               check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return sorted({line.replace(".", "") for line in found.stdout.split()})


def main(build):
    if not cards():
        print("SKIPPED: nvidia-smi finds no card")
        return 77
    found = [name for name in FRAMEWORKS if importlib.util.find_spec(name)]
    if not found:
        print(f"SKIPPED: {sys.executable} has neither JAX nor PyTorch")
        return 77
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DOPSRUN_TESTS=OFF",
                    "-DOPSRUN_BENCH=OFF", "-DOPSRUN_CUDA=ON", f"-DOPSRUN_CUDA_ARCHITECTURES={';'.join(cards())}",
                    "-DOPSRUN_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}",
                    *(f"-DOPSRUN_{name.upper()}_PYTHON={sys.executable if name in found else ''}" for name in FRAMEWORKS)],
                   check=True)
    subprocess.run(["cmake", "--build", build, "--target", "opsrun_python", *(f"opsrun_{name}" for name in found), *PLUGINS],
                   check=True)
    environment = {**os.environ, "PYTHONPATH": f"{build}/python:{ROOT}/tests/adapters/shared",
                   "OPSRUN_ADAPTER_OPS": f"{build}/tests/adapters/adapter_ops.so", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    return max(subprocess.run([sys.executable, "-B", "-m", "pytest", "-v", "-p", "no:cacheprovider",
                               ROOT / "tests/adapters" / FRAMEWORKS[name] / "card_test.py"], env=environment, check=False)
               .returncode for name in found)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/on_card")))
