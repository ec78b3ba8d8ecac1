"""matrix.py: runs the tests of adapters, as wheels, with each version of their frameworks that the package index has.

usage: scripts/frameworks --matrix [torch|jax|tensorflow|onnx]...     all of them if none is named

Of each minor version, from the oldest one that the adapter supports, takes the newest patch, and the oldest version
itself. Each gets an environment of its own, which is removed when its tests have run: one with PyTorch takes 5 GB. The
wheel of opsrun is made of build/release, which must be up to date; that of an adapter is built in the environment of the
oldest version. Prints a table, and how tests failed on stderr; exits with 1 if any failed.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[2]
BUILD = ROOT / "build" / "release"
ONNX_HEADERS = ROOT / "build/venv_onnx/include/onnxruntime"  # of the oldest version; its package has none


class Adapter(NamedTuple):
    """How the adapter of a framework is built and tested.

    Attributes:
        package: The framework in the package index.
        oldest: The oldest version that the adapter supports.
        folder: Of the adapter in adapters/, and of its tests in tests/adapters/.
        needs: What its tests and its build need besides.
        settings: What the build is told.
        for_each_minor: Whether a wheel works with one minor version only.
    """

    package: str
    oldest: str
    folder: str
    needs: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    for_each_minor: bool = False


ADAPTERS = {
    "torch": Adapter("torch", "2.10.0", "pytorch"),
    "jax": Adapter("jax", "0.6.0", "jax", ("nanobind", "absl-py")),
    "tensorflow": Adapter("tensorflow-cpu", "2.16.1", "tensorflow", for_each_minor=True),
    "onnx": Adapter("onnxruntime", "1.17.0", "onnxruntime", ("onnx", "ml_dtypes"),
                    (f"cmake.define.ONNXRUNTIME_INCLUDE_DIR={ONNX_HEADERS}",)),
}


class Broken(Exception):
    """A command failed, and what it printed."""


def run(*command, **changes):
    """What a command prints on stdout."""
    kept = {key: value for key, value in os.environ.items() if key != "OPSRUN_PLUGIN_PATH"}
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False,
                          env={**kept, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", **changes})
    if done.returncode != 0:
        raise Broken(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def pip(python, *arguments):
    return run(python, "-m", "pip", "--disable-pip-version-check", "--retries", "2", "--timeout", "60", *arguments)


def number(version):
    return tuple(map(int, version.split(".")))


def versions_of(adapter):
    """The versions to test, from the oldest on."""
    listed = re.search("Available versions: (.*)", pip(sys.executable, "index", "versions", adapter.package))
    known = [each for each in listed[1].split(", ") if re.fullmatch(r"[0-9.]+", each)]
    newest = {}
    for version in sorted(known, key=number):
        if number(version) >= number(adapter.oldest):
            newest[number(version)[:2]] = version
    return sorted({adapter.oldest, *newest.values()}, key=number)


def make_wheel(python, source, to, *settings):
    """Builds with what the environment has."""
    options = [word for each in settings for word in ("--config-settings", each)]
    pip(python, "wheel", "-q", "--no-deps", "--no-build-isolation", *options, "-w", to, source)


def numpy_for(adapter, version):
    """Older versions of ONNX Runtime do not declare that they need an older NumPy."""
    return ("numpy<2",) if adapter.package == "onnxruntime" and number(version) < (1, 19) else ("numpy",)


def wheel_for(adapter, version, python, wheels):
    """The adapter's wheel for this version, built now unless another version's serves."""
    to = wheels / (f"{adapter.folder}-{number(version)[1]}" if adapter.for_each_minor else adapter.folder)
    if not to.exists():
        pip(python, "install", "-q", "scikit-build-core", "cmake", "ninja")
        make_wheel(python, ROOT / "adapters" / adapter.folder, to, f"build-dir={to}/build", *adapter.settings)
    return next(to.glob("*.whl"))


def counts_of(python, file, report):
    """Runs the tests of a file: how many passed, failed, and were skipped."""
    try:
        run(python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", file,
            PYTHONPATH=str(ROOT / "tests/adapters/shared"), OPSRUN_ADAPTER_OPS=str(BUILD / "tests/adapters/adapter_ops.so"),
            ONNXRUNTIME_INCLUDE_DIR=str(ONNX_HEADERS))
    except Broken as problem:
        print(problem, file=sys.stderr)
    if not report.exists():
        return 0, 1, 0
    suite = xml.etree.ElementTree.parse(report).getroot()[0]
    report.unlink()
    failed, skipped = int(suite.get("failures")) + int(suite.get("errors")), int(suite.get("skipped"))
    return int(suite.get("tests")) - failed - skipped, failed, skipped


def test(adapter, version, wheels, folder):
    """In a new environment: how many tests passed, failed, and were skipped."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    pip(python, "install", "-q", f"{adapter.package}=={version}", *numpy_for(adapter, version), "pytest", *adapter.needs,
        next(wheels.glob("opsrun-*.whl")))
    pip(python, "install", "-q", "--no-deps", wheel_for(adapter, version, python, wheels))
    counts = [counts_of(python, file, folder / "report.xml")
              for file in sorted((ROOT / "tests" / "adapters" / adapter.folder).glob("*_test.py"))]
    return [sum(each) for each in zip(*counts)]


def main(names):
    unknown = [name for name in names if name not in ADAPTERS]
    if unknown:
        sys.exit(f"scripts/frameworks: no such framework: '{unknown[0]}' ({', '.join(ADAPTERS)})")
    any_failed = False
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        wheels = pathlib.Path(folder)
        make_wheel(sys.executable, ROOT, wheels, f"cmake.define.OPSRUN_PREBUILT={BUILD}", f"build-dir={wheels}/build")
        print(f"{'framework':12}{'version':10}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}", flush=True)
        for name in names or ADAPTERS:
            for version in versions_of(ADAPTERS[name]):
                begin = time.monotonic()
                try:
                    with tempfile.TemporaryDirectory(dir=folder) as environment:
                        passed, failed, skipped = test(ADAPTERS[name], version, wheels, pathlib.Path(environment))
                except Broken as problem:
                    print(problem, file=sys.stderr)
                    passed, failed, skipped = 0, 1, 0
                any_failed |= failed > 0
                print(f"{name:12}{version:10}{passed:8}{failed:8}{skipped:9}{time.monotonic() - begin:9.0f}", flush=True)
    return 1 if any_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
