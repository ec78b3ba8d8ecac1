"""The wheels of opsrun, of examples/my_ops and examples/one_binary, and of the adapters, built and installed in empty
environments, without a network.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
WHEELS = ROOT / "build" / "wheelhouse"
PIP = ["-m", "pip", "--disable-pip-version-check"]
GRAPH = "opsrun: 1\nfeeds:\n  e: {value: [-3, 0.5], dtype: float32}\nnodes:\n  loss: {op: Huber, in: e}\noutputs: [loss]\n"


def environment(**changes):
    """Without what leads to this build."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "OPSRUN_PLUGIN_PATH")}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **{key: str(value) for key, value in changes.items()}}


def run(*command, fails=False, **options):
    """What a program prints on stdout; on stderr if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False,
                          **{"env": environment(), **options})
    assert (done.returncode != 0) == fails, f"{command}: {done.stdout}{done.stderr}"
    return done.stderr if fails else done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The wheels of opsrun and of the examples."""
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT / "scripts" / "wheel", "--prebuilt", os.environ["OPSRUN_BUILD"], folder)
    for example, name in (("my_ops", "my_ops"), ("one_binary", "opsrun_shrink")):
        source = tmp_path_factory.mktemp("source") / example
        shutil.copytree(ROOT / "examples" / example, source)
        run(sys.executable, *PIP, "wheel", "--no-index", "--find-links", WHEELS, "--find-links", folder, "--no-deps", "-w", folder, source)
        assert len(list(folder.glob(f"{name}-0.1.0-*.whl"))) == 1
    return folder


def make_venv(folder):
    run(sys.executable, "-m", "venv", folder)
    return folder / "bin" / "python"


def install(python, *what):
    run(python, *PIP, "install", "-q", "--no-index", "--find-links", WHEELS, *what)


@pytest.fixture(scope="module")
def venv(dist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty") / "a venv"
    install(make_venv(folder), "--find-links", dist, "my-ops", "opsrun-shrink")
    return folder


def bare(venv):
    """No compiler, and no program but those of the environment."""
    return environment(PATH=venv / "bin", HOME=venv)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is not a clone")
def test_the_source_distribution_has_every_source(tmp_path):
    run(sys.executable, "-c", f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})", cwd=ROOT)
    packed = run("tar", "tf", next(tmp_path.glob("opsrun-*.tar.gz"))).splitlines()
    tracked = run("git", "ls-files", cwd=ROOT).splitlines()
    missing = set(tracked) - {name.partition("/")[2] for name in packed}
    assert not [name for name in missing if not name.startswith("bench/results/")]


def test_a_build_without_the_python_package_makes_no_wheel(tmp_path):
    done = subprocess.run([ROOT / "scripts" / "wheel", "--prebuilt", tmp_path, tmp_path / "dist"], text=True, capture_output=True,
                          check=False)
    assert done.returncode != 0
    assert f"'{tmp_path}' has no Python package of opsrun" in " ".join(done.stderr.split()), done.stderr
    assert not list((tmp_path / "dist").glob("*"))


def test_the_wheel_says_where_it_works(dist):
    wheel = next(dist.glob("opsrun-*.whl"))
    assert "manylinux_2_" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith((".a", ".pc", ".cc"))]
    required = next(name for name in names if name.endswith("METADATA"))
    lines = zipfile.ZipFile(wheel).read(required).decode().splitlines()
    assert [line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line] == ["Requires-Dist: numpy>=1.25"]


def test_its_plugins_have_code_for_gpus_if_those_of_the_build_have(venv):
    plugin = next(venv.glob("lib/python3*/site-packages/opsrun/lib/opsrun/math_ops.so"))
    cache = (pathlib.Path(os.environ["OPSRUN_BUILD"]) / "CMakeCache.txt").read_text()
    has_code = "OPSRUN_CUDA:BOOL=ON" in cache and "OPSRUN_NVCC:FILEPATH=OPSRUN_NVCC-NOTFOUND" not in cache
    assert ("GPU code" in run(venv / "bin" / "opsrun", "inspect", plugin, env=bare(venv))) == has_code


def test_the_program_finds_the_plugin(venv, tmp_path):
    (tmp_path / "graph.yaml").write_text(GRAPH)
    assert "my_ops" in run(venv / "bin" / "opsrun", "plugins", env=bare(venv))
    assert "[2.5   0.125]" in run(venv / "bin" / "opsrun", tmp_path / "graph.yaml", env=bare(venv))
    run(venv / "bin" / "opsrun", "gradcheck", next(venv.glob("lib/python3*/site-packages/my_ops/my_ops.so")), env=bare(venv))


def test_python_finds_it(venv):
    printed = run(venv / "bin" / "python", "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]), opsrun.ops.zero_out)",
                  env=bare(venv))
    assert printed.startswith("[2.5] ")
    run(venv / "bin" / "python", "-m", "unittest", "discover", ROOT / "examples" / "my_ops" / "tests",
        env=bare(venv))


def test_the_file_beside_a_plugin_comes_with_it(venv):
    (package,) = venv.glob("lib/python3*/site-packages/shrink")
    assert {each.name for each in package.iterdir()} - {"__pycache__"} == {"__init__.py", "shrink.opsrun.yaml", "shrink.so"}
    run(venv / "bin" / "python", ROOT / "examples" / "one_binary" / "in_opsrun.py", package / "shrink.so", env=bare(venv))


def test_nothing_is_imported_to_find_it(venv, tmp_path):
    package = next(venv.glob("lib/python3*/site-packages/my_ops/__init__.py"))
    text = package.read_text()
    package.write_text("raise RuntimeError('imported')\n")
    try:
        assert "[2.5]" in run(venv / "bin" / "python", "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]))", env=bare(venv))
    finally:
        package.write_text(text)


def test_the_flags_build_a_plugin(venv, tmp_path):
    flags = run(venv / "bin" / "opsrun", "sdk", "--cflags", env=bare(venv)).split("\n")[0]
    source = ROOT / "examples" / "my_ops" / "my_ops" / "huber.cc"
    run("sh", "-c", f"g++ -std=c++17 -shared -fPIC {flags} '{source}' -o huber.so", cwd=tmp_path)
    assert "[2.5]" in run(venv / "bin" / "python", "-c", "import opsrun; print(opsrun.load_op_library('huber.so').huber([3.0]))",
                          cwd=tmp_path, env=bare(venv))


def test_an_install_in_a_folder(dist, tmp_path):
    target = tmp_path / "target"
    install(sys.executable, "--find-links", dist, "--target", target, "my-ops")
    env = environment(PYTHONPATH=target, HOME=tmp_path)
    assert "my_ops" in run(target / "bin" / "opsrun", "plugins", env=env)
    assert "[2.5]" in run(sys.executable, "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]))", env=env)


def test_an_install_for_a_user(dist, tmp_path):
    # Only the Python of the system has packages of users.
    python = pathlib.Path(sys.base_prefix) / "bin" / "python3"
    env = environment(PYTHONUSERBASE=tmp_path, HOME=tmp_path, PIP_BREAK_SYSTEM_PACKAGES=1)
    site = run(python, "-m", "site", "--user-site", env=env).strip()
    install(sys.executable, "--find-links", dist, "--target", site, "my-ops")
    program = "import opsrun._program as program, sys; sys.argv = ['opsrun', 'plugins']; program.main()"
    assert "my_ops" in run(python, "-c", program, env=env)
    assert "[2.5]" in run(python, "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]))", env=env)


# The adapters, built from their source distributions, installed beside each other: all of them add to one package. Those
# whose framework scripts/frameworks has installed; the frameworks stay where they are.

# By module: the folder in adapters, the distribution, the framework, and an array of it, unless it has models alone.
ADAPTERS = {"torch": ("pytorch", "opsrun-torch", "torch", "torch.tensor([5, 4, 3])"),
            "tf": ("tensorflow", "opsrun-tensorflow", "tensorflow", "tensorflow.constant([5, 4, 3])"),
            "jax": ("jax", "opsrun-jax", "jax", "jax.numpy.array([5, 4, 3])"),
            "onnx": ("onnxruntime", "opsrun-onnx", "onnx", None)}
HERE = [module for module, (_, _, framework, _) in ADAPTERS.items()
        if (ROOT / "build" / f"venv_{framework}" / "packages.txt").exists()]


def of(module):
    """The environment for an adapter: with its framework."""
    venv = ROOT / "build" / f"venv_{ADAPTERS[module][2]}"
    site = next(venv.glob("lib/python3*/site-packages"))
    return environment(PYTHONPATH=site, CMAKE_PREFIX_PATH=venv, TF_CPP_MIN_LOG_LEVEL=3)


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
    install(python, "--no-deps", opsrun_wheel, "numpy")
    for module in HERE:
        run(python, *PIP, "wheel", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, sdists[module],
            env=of(module))
    return {module: next(folder.glob(ADAPTERS[module][1].replace("-", "_") + "-*.whl")) for module in HERE}


@pytest.fixture
def python(tmp_path):
    return make_venv(tmp_path / "venv")


# Calls it as a node of a model.
MODEL = """
import numpy, onnx.helper, onnxruntime, opsrun.onnx
x, y = (onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT32, [3]) for name in "xy")
graph = onnx.helper.make_graph([onnx.helper.make_node("ZeroOut", ["x"], ["y"], domain="opsrun.zero_out")], "graph", [x], [y])
model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("opsrun.zero_out", 1)], ir_version=8)
options = onnxruntime.SessionOptions()
opsrun.onnx.register(options, opsrun.ops.zero_out)
session = onnxruntime.InferenceSession(model.SerializeToString(), options)
print(session.run(None, {"x": numpy.int32([5, 4, 3])})[0].tolist())
"""


def program(module):
    """Calls an op through an adapter."""
    framework, array = ADAPTERS[module][2:]
    if array is None:
        return MODEL
    path = "os.path.join(opsrun._program.prefix(), 'lib', 'opsrun', 'zero_out.so')"
    return (f"import os, {framework}, opsrun.{module}, opsrun._program\n"
            f"print([int(each) for each in opsrun.{module}.load_op_library({path}).zero_out({array})])")


def check(python, modules):
    """opsrun and these adapters work."""
    assert run(python, "-c", "import opsrun; print(opsrun.ops.zero_out.zero_out([5, 4]))").strip() == "[5 0]"
    for module in modules:
        assert run(python, "-c", program(module), env=of(module)).strip() == "[5, 0, 0]"


@pytest.mark.skipif(not HERE, reason="no framework is installed; scripts/frameworks does that")
class TestAdapters:
    def test_a_source_distribution_is_complete(self, sdists):
        for sdist in sdists.values():
            names = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
            assert {"LICENSE", "PKG-INFO", "adapters/common/engine.cc", "native/module.cc"} <= names

    @pytest.mark.parametrize("turn", [1, -1], ids=["opsrun first", "opsrun last"])
    def test_in_any_order(self, python, opsrun_wheel, wheels, turn):
        for wheel in [opsrun_wheel, *wheels.values()][::turn]:
            install(python, "--no-deps", *(("numpy",) if wheel is opsrun_wheel else ()), wheel)
        check(python, HERE)

    def test_an_upgrade_of_opsrun_keeps_the_adapters(self, python, opsrun_wheel, wheels):
        install(python, "--no-deps", "numpy", opsrun_wheel, *wheels.values())
        install(python, "--no-deps", "--force-reinstall", opsrun_wheel)
        check(python, HERE)
        install(python, "--no-deps", "--force-reinstall", wheels[HERE[0]])
        check(python, HERE)

    def test_an_adapter_that_is_removed_leaves_the_others(self, python, opsrun_wheel, wheels):
        install(python, "--no-deps", "numpy", opsrun_wheel, *wheels.values())
        for i, module in enumerate(HERE):
            run(python, *PIP, "uninstall", "-q", "-y", ADAPTERS[module][1])
            check(python, HERE[i + 1:])
            assert f"No module named 'opsrun.{module}'" in run(python, "-c", f"import opsrun.{module}", env=of(module), fails=True)

    def test_an_adapter_without_opsrun_says_so(self, python, opsrun_wheel, wheels):
        install(python, "--no-deps", "numpy", opsrun_wheel, *wheels.values())
        run(python, *PIP, "uninstall", "-q", "-y", "opsrun")
        for module in HERE:
            error = run(python, "-c", f"import opsrun.{module}", env=of(module), fails=True).splitlines()[-1]
            assert error == (f"ImportError: opsrun.{module} adds to the package opsrun, which is not installed: "
                             "pip install opsrun")

    def test_an_adapter_of_another_version_says_so(self, python, opsrun_wheel, wheels):
        install(python, "--no-deps", "numpy", opsrun_wheel, *wheels.values())
        for module in HERE:
            text = f"import opsrun._native; opsrun._native.version = '9.8.7'; import opsrun.{module}"
            error = run(python, "-c", text, env=of(module), fails=True).splitlines()[-1]
            assert f"ImportError: opsrun.{module} was built with opsrun " in error and "but this is 9.8.7: build it again" in error

    @pytest.mark.skipif("tf" not in HERE, reason="TensorFlow is not installed; scripts/frameworks tensorflow does that")
    def test_one_wheel_for_several_versions_of_tensorflow(self, python, opsrun_wheel, sdists, tmp_path):
        """As scripts/wheel_tensorflow makes it, but of one TensorFlow under two names."""
        install(python, "--no-deps", "numpy", opsrun_wheel)
        folder = next((ROOT / "build" / "venv_tensorflow").glob("lib/python3*/site-packages/tensorflow"))
        version = run(python, "-c", "import tensorflow; print(tensorflow.__version__)", env=of("tf")).strip()
        run(python, *PIP, "wheel", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-w", tmp_path, "--config-settings",
            f"cmake.define.OPSRUN_TF_PACKAGES=2.98={folder};{version}={folder}", sdists["tf"], env=of("tf"))
        install(python, "--no-deps", next(tmp_path.glob("opsrun_tensorflow-*.whl")))
        check(python, ["tf"])
        code = "import tensorflow; tensorflow.__version__ = '2.99.0'; import opsrun.tf"
        error = run(python, "-c", code, env=of("tf"), fails=True).splitlines()[-1]
        assert f"built for TensorFlow {version.rpartition('.')[0]}, 2.98, but this is 2.99.0: build it again" in error
