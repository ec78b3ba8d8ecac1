"""The wheel of opsrun and that of examples/my_ops, built and installed in empty environments, without a network.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).parents[2]
WHEELS = ROOT / "build" / "wheelhouse"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
GRAPH = "opsrun: 1\nfeeds:\n  e: {value: [-3, 0.5], dtype: float32}\nnodes:\n  loss: {op: Huber, in: e}\noutputs: [loss]\n"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def environment(**changes):
    """Without what leads to this build."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "OPSRUN_PLUGIN_PATH")}
    return {**kept, **{key: str(value) for key, value in changes.items()}}


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """The two wheels."""
    folder = tmp_path_factory.mktemp("dist")
    run(ROOT / "scripts" / "wheel", "--prebuilt", os.environ["OPSRUN_BUILD"], folder)
    source = tmp_path_factory.mktemp("source") / "my_ops"
    shutil.copytree(ROOT / "examples" / "my_ops", source)
    run(*PIP, "wheel", "--no-index", "--find-links", WHEELS, "--find-links", folder, "--no-deps", "-w", folder, source,
        env=environment())
    assert len(list(folder.glob("my_ops-0.1.0-*.whl"))) == 1
    return folder


def install(dist, python, *options, env=None):
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-index", "--find-links", WHEELS,
        "--find-links", dist, *options, "my-ops", env=env)


@pytest.fixture(scope="module")
def venv(dist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("empty") / "a venv"
    run(sys.executable, "-m", "venv", folder)
    install(dist, folder / "bin" / "python")
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
        env={**bare(venv), "PYTHONDONTWRITEBYTECODE": "1"})


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
    run("sh", "-c", f"g++ -std=c++17 -shared -fPIC {flags} '{source}' -o huber.so", cwd=tmp_path, env=environment())
    assert "[2.5]" in run(venv / "bin" / "python", "-c", "import opsrun; print(opsrun.load_op_library('huber.so').huber([3.0]))",
                          cwd=tmp_path, env=bare(venv))


def test_an_install_in_a_folder(dist, tmp_path):
    target = tmp_path / "target"
    install(dist, sys.executable, "--target", target)
    env = environment(PYTHONPATH=target, HOME=tmp_path)
    assert "my_ops" in run(target / "bin" / "opsrun", "plugins", env=env)
    assert "[2.5]" in run(sys.executable, "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]))", env=env)


def test_an_install_for_a_user(dist, tmp_path):
    # Only the Python of the system has packages of users.
    python = pathlib.Path(sys.base_prefix) / "bin" / "python3"
    env = environment(PYTHONUSERBASE=tmp_path, HOME=tmp_path, PIP_BREAK_SYSTEM_PACKAGES=1)
    site = run(python, "-m", "site", "--user-site", env=env).strip()
    install(dist, sys.executable, "--target", site)
    program = "import opsrun._program as program, sys; sys.argv = ['opsrun', 'plugins']; program.main()"
    assert "my_ops" in run(python, "-c", program, env=env)
    assert "[2.5]" in run(python, "-c", "import opsrun; print(opsrun.ops.my_ops.huber([3.0]))", env=env)
