"""The wheels of the adapters, built from their source distributions, installed beside each other: all of them add to one
package. Those whose framework scripts/frameworks has installed; the frameworks stay where they are.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
WHEELS = ROOT / "build" / "wheelhouse"
PIP = ["-m", "pip", "--disable-pip-version-check"]
# By module: the folder in adapters, the distribution, the framework, and an array of it.
ADAPTERS = {"torch": ("pytorch", "opsrun-torch", "torch", "torch.tensor([5, 4, 3])"),
            "tf": ("tensorflow", "opsrun-tensorflow", "tensorflow", "tensorflow.constant([5, 4, 3])"),
            "jax": ("jax", "opsrun-jax", "jax", "jax.numpy.array([5, 4, 3])")}
HERE = [module for module, (_, _, framework, _) in ADAPTERS.items()
        if (ROOT / "build" / f"venv_{framework}" / "packages.txt").exists()]

# Not the module: pytest fails if it finds no test.
pytestmark = pytest.mark.skipif(not HERE, reason="no framework is installed; scripts/frameworks does that")


def environment(module):
    """With the framework of an adapter, and without what leads to this build."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "OPSRUN_PLUGIN_PATH")}
    site = next((ROOT / "build" / f"venv_{ADAPTERS[module][2]}").glob("lib/python3*/site-packages")) if module else ""
    return {**kept, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def run(*command, module=None, fails=False, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False,
                          env=environment(module), **options)
    assert (done.returncode != 0) == fails, f"{command}: {done.stdout}{done.stderr}"
    return done.stderr if fails else done.stdout


def make_venv(folder):
    run(sys.executable, "-m", "venv", folder)
    return folder / "bin" / "python"


def install(python, *what):
    run(python, *PIP, "install", "-q", "--no-index", "--find-links", WHEELS, "--no-deps", *what)


@pytest.fixture(scope="module")
def opsrun_wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opsrun")
    settings = f"cmake.define.OPSRUN_PREBUILT={os.environ['OPSRUN_BUILD']}", f"build-dir={folder}/build"
    run(sys.executable, *PIP, "wheel", "-q", "--no-index", "--no-deps", "--no-build-isolation", "--config-settings", settings[0],
        "--config-settings", settings[1], "-w", folder, ROOT)
    return next(folder.glob("opsrun-*.whl"))


@pytest.fixture(scope="module")
def sdists(tmp_path_factory):
    """The source distributions of the adapters."""
    folder = tmp_path_factory.mktemp("sdists")
    make = f"from scikit_build_core.build import build_sdist; build_sdist({str(folder)!r})"
    for module in HERE:
        run(sys.executable, "-c", make, cwd=ROOT / "adapters" / ADAPTERS[module][0])
    return {module: next(folder.glob(ADAPTERS[module][1].replace("-", "_") + "-*.tar.gz")) for module in HERE}


@pytest.fixture(scope="module")
def wheels(opsrun_wheel, sdists, tmp_path_factory):
    """The wheels by the names of their modules, built in an environment with nothing but opsrun and the framework."""
    folder = tmp_path_factory.mktemp("wheels")
    python = make_venv(tmp_path_factory.mktemp("builder") / "venv")
    install(python, opsrun_wheel, "numpy")
    for module in HERE:
        run(python, *PIP, "wheel", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, sdists[module],
            module=module)
    return {module: next(folder.glob(ADAPTERS[module][1].replace("-", "_") + "-*.whl")) for module in HERE}


@pytest.fixture
def python(tmp_path):
    return make_venv(tmp_path / "venv")


def program(module):
    """Calls an op through an adapter."""
    framework, array = ADAPTERS[module][2:]
    path = "os.path.join(opsrun._program.prefix(), 'lib', 'opsrun', 'zero_out.so')"
    return (f"import os, {framework}, opsrun.{module}, opsrun._program\n"
            f"print([int(each) for each in opsrun.{module}.load_op_library({path}).zero_out({array})])")


def check(python, modules):
    """opsrun and these adapters work."""
    assert run(python, "-c", "import opsrun; print(opsrun.ops.zero_out.zero_out([5, 4]))").strip() == "[5 0]"
    for module in modules:
        assert run(python, "-c", program(module), module=module).strip() == "[5, 0, 0]"


def test_a_source_distribution_is_complete(sdists):
    for sdist in sdists.values():
        names = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
        assert {"LICENSE", "PKG-INFO", "adapters/common/failure.cc", "native/module.cc"} <= names


@pytest.mark.parametrize("turn", [1, -1], ids=["opsrun first", "opsrun last"])
def test_in_any_order(python, opsrun_wheel, wheels, turn):
    for wheel in [opsrun_wheel, *wheels.values()][::turn]:
        install(python, *(("numpy",) if wheel is opsrun_wheel else ()), wheel)
    check(python, HERE)


def test_an_upgrade_of_opsrun_keeps_the_adapters(python, opsrun_wheel, wheels):
    install(python, "numpy", opsrun_wheel, *wheels.values())
    install(python, "--force-reinstall", opsrun_wheel)
    check(python, HERE)
    install(python, "--force-reinstall", wheels[HERE[0]])
    check(python, HERE)


def test_an_adapter_that_is_removed_leaves_the_others(python, opsrun_wheel, wheels):
    install(python, "numpy", opsrun_wheel, *wheels.values())
    for i, module in enumerate(HERE):
        run(python, *PIP, "uninstall", "-q", "-y", ADAPTERS[module][1])
        check(python, HERE[i + 1:])
        assert f"No module named 'opsrun.{module}'" in run(python, "-c", f"import opsrun.{module}", module=module, fails=True)


def test_an_adapter_without_opsrun_says_so(python, opsrun_wheel, wheels):
    install(python, "numpy", opsrun_wheel, *wheels.values())
    run(python, *PIP, "uninstall", "-q", "-y", "opsrun")
    for module in HERE:
        error = run(python, "-c", f"import opsrun.{module}", module=module, fails=True).splitlines()[-1]
        assert error == (f"ImportError: opsrun.{module} adds to the package opsrun, which is not installed: "
                         "pip install opsrun")


def test_an_adapter_of_another_version_says_so(python, opsrun_wheel, wheels):
    install(python, "numpy", opsrun_wheel, *wheels.values())
    for module in HERE:
        text = f"import opsrun._native; opsrun._native.version = '9.8.7'; import opsrun.{module}"
        error = run(python, "-c", text, module=module, fails=True).splitlines()[-1]
        assert f"ImportError: opsrun.{module} was built with opsrun " in error and "but this is 9.8.7: build it again" in error
