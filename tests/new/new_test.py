"""new_test.py: opsrun new, and what becomes of the projects that it writes.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

import built
from in_folder import FolderTest

PYTHON = built.ROOT / "build/venv/bin/python"
TENSORFLOW = built.ROOT / "build/venv_tensorflow/bin/python"
SANITIZE = os.environ.get("OPSRUN_SANITIZE", "") if built.SANITIZED else ""


class ProjectTest(FolderTest):
    def setUp(self):
        super().setUp()
        flags = f"-fsanitize={SANITIZE}" if SANITIZE else ""
        self.environment = {"PATH": f"{built.BUILD}/bin:{os.environ['PATH']}", "HOME": str(self.folder), "CFLAGS": flags,
                            "CXXFLAGS": flags}

    def run_it(self, *words, folder=".", **environment):
        """What a program prints."""
        done = subprocess.run([str(word) for word in words], cwd=self.folder / folder, text=True, capture_output=True, check=False,
                              env={**os.environ, **self.environment, **environment})
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def new(self, *words):
        return self.run_it("opsrun", "new", "--no-default-plugins", *words)

    def build(self, name, **environment):
        printed = self.run_it("cmake", "--workflow", "--preset", "release", folder=name, **environment)
        self.assertIn("100% tests passed", printed)
        self.assertNotIn("warning:", printed)
        return sorted(path for path in (self.folder / name / "dist").iterdir() if path.is_file())


# Programs for the steps of the CI file: nothing is installed, and of opsrun, which takes minutes, what would be built is
# listed; the program is that of this build.
STEP_PROGRAMS = {
    "apt-get": "exit 0",
    "sudo": 'exec "$@"',
    "ninja": """case " $* " in
*" installed "*) "$NINJA" -n "$@" && mkdir -p bin && ln -s "$OPSRUN" bin/opsrun ;;
*) exec "$NINJA" "$@" ;;
esac""",
}


class Command(ProjectTest):
    def refused(self, code, text, *words):
        before = sorted(self.folder.rglob("*"))
        done = self.opsrun("new", *words, HOME=str(self.folder))
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_names_are_checked_before_anything_is_written(self):
        for name in ("My_op", "2x", "a-b", "", ".", "..", "é", "a b", "a\nb", "_a"):
            self.refused(2, "cannot be the name of a plugin", name)
        for name in ("my__op", "my_op_", "conv_2d"):
            self.refused(2, "write a letter after each '_'", name)
        for name in ("class", "lambda", "opsrun"):
            self.refused(2, "a reserved word of C++ or Python", name)
        for name in ("test", "all", "install", "null"):
            self.refused(2, "has something of that name", name)
        self.refused(2, "it is longer than 48 letters", "a" * 49)
        self.refused(2, "error[U005]: the name 'zero_out' is taken by '", "zero_out")
        self.refused(2, "error[U005]: the name 'mat_mul' is taken by plugin 'math_ops', whose op is called MatMul", "mat_mul")
        self.refused(2, "--gpu", "my_op", "--c", "--gpu")

    def test_nothing_is_overwritten(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").write_text("mine")
        (self.folder / "c").symlink_to("nowhere")
        for name in "abc":
            self.refused(1, f"error[R504]: '{name}' exists", name)
        self.refused(1, "error[R504]: cannot write 'nowhere/d'", "nowhere/d")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_cannot_be_written_to(self):
        os.chmod(self.folder, 0o500)
        self.refused(1, "error[R504]: cannot write 'd'", "d")

    def test_no_template_and_no_mark_is_left_in_any_project(self):
        for i, words in enumerate([[], ["--c"], ["--gpu", "--python"], ["--tensorflow"], ["--c", "--python"]]):
            self.new("thing_" + "abcde"[i], *words)
        for path in self.folder.rglob("*"):
            self.assertNotRegex(path.name, "(?i)my[_-]?op")
            if path.is_file():
                self.assertNotRegex(path.read_text(), r"(?i)\bmy[_-]?op|\[/?(gpu|cpp|c|notes|opsrun|tensorflow|python)\]( -->)?\n")


    def test_an_opsrun_that_was_built_for_one_graph_says_what_else_it_needs(self):
        part = self.folder / "part"
        (part / "lib").mkdir(parents=True)
        shutil.copytree(built.BUILD / "lib/cmake", part / "lib/cmake")
        (part / "share").symlink_to(built.BUILD / "share")
        self.write("part/bin/opsrun", f"#!/bin/sh\necho '{part}/lib/cmake/opsrun'\n").chmod(0o755)
        self.new("my_op")
        done = self.call("cmake", "-S", "my_op", "-B", "build", PATH=f"{part}/bin:{os.environ['PATH']}")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("run: scripts/build release installed", " ".join(done.stderr.split()))


class Plain(ProjectTest):
    """The plain project, in two folders, of which one belongs to another user's habits, and is built by the CI file."""

    def test_it_builds_and_its_packages_are_reproducible(self):
        printed = self.new("my_op")
        self.assertIn("cmake --workflow --preset release", printed)
        packages = self.build("my_op")
        other = self.folder / "else where"
        other.mkdir()
        shutil.copytree(self.folder / "my_op", other / "my_op", ignore=shutil.ignore_patterns("build", "dist"))
        umask = os.umask(0o077)
        again = self.build_by_ci_file("else where/my_op")
        os.umask(umask)
        self.assertEqual([path.name for path in packages], [path.name for path in again])
        for one, two in zip(packages, again):
            self.assertEqual(one.read_bytes(), two.read_bytes(), one)
        self.check_tar(next(path for path in packages if path.name.endswith(".tar.gz")))
        if shutil.which("dpkg-deb"):
            self.check_deb(next(path for path in packages if path.suffix == ".deb"))
        self.run_it("opsrun", "install", "my_op/build/release/lib/opsrun/my_op.so")
        self.run_it("opsrun", "explain", "MyOp")

    def build_by_ci_file(self, name):
        """As GitHub runs the steps of the file. Its actions check out the project, and opsrun: here, links to its sources."""
        ninja = shutil.which("ninja")
        try:
            import yaml
        except ImportError:
            ninja = None
        if ninja is None:  # packages of the suite
            return self.build(name)
        project = self.folder / name
        (job,) = yaml.safe_load((project / ".github/workflows/ci.yaml").read_text())["jobs"].values()
        actions = [step for step in job["steps"] if "uses" in step]
        self.assertEqual([step["uses"].split("@")[0] for step in actions],
                         ["actions/checkout", "actions/checkout", "actions/upload-artifact"])
        sources = project / actions[1]["with"]["path"]
        sources.mkdir(parents=True)
        for each in built.ROOT.iterdir():
            if each.name not in ("build", ".git"):
                (sources / each.name).symlink_to(each)
        for program, text in STEP_PROGRAMS.items():
            self.write(f"steps/{program}", f"#!/bin/sh\n{text}\n").chmod(0o755)
        added = self.write("added_to_path", "")
        for step in job["steps"]:
            path = ":".join([*reversed(added.read_text().split("\n")[:-1]), str(self.folder / "steps"), os.environ["PATH"]])
            if "run" in step:
                printed = self.run_it("bash", "-e", "-c", step["run"], folder=name, PATH=path, GITHUB_PATH=str(added), NINJA=ninja,
                                      OPSRUN=built.OPSRUN)
        self.assertIn("100% tests passed", printed)
        self.assertNotIn("warning:", printed)
        packages = sorted(project.glob(actions[2]["with"]["path"]))
        self.assertEqual(packages, sorted(path for path in (project / "dist").iterdir() if path.is_file()))
        return packages

    def check_tar(self, path):
        with tarfile.open(path) as archive:
            self.assertEqual({(each.uname, each.gname, each.uid, each.mtime) for each in archive}, {("root", "root", 0, 0)})
            archive.extractall(self.folder / "unpacked", filter="data")
        (top,) = (self.folder / "unpacked").iterdir()
        graph = top / "share/doc/opsrun-my-op/my_op.yaml"
        self.assertIn("[1.5 2. ]", self.run_it("opsrun", graph, "--plugins", top / "lib/opsrun"))

    def check_deb(self, path):
        fields = self.run_it("dpkg-deb", "--field", path)
        for line in ("Package: opsrun-my-op", "Version: 0.1.0", "Enhances: opsrun", "Description: Multiplies tensors by a factor",
                     " Plugin 'my_op' for opsrun, level 1. License: Apache-2.0"):
            self.assertIn(line + "\n", fields)
        listed = self.run_it("dpkg-deb", "--contents", path)
        self.assertRegex(listed, r"-rw-r--r-- root/root +\d+ 1970-01-01 00:00 \./usr/lib/opsrun/my_op\.so\n")


class Variants(ProjectTest):
    def test_in_c(self):
        self.new("blur", "--c")
        self.build("blur")

    def test_for_a_gpu(self):
        self.new("blur", "--gpu")
        self.build("blur")
        notes = self.run_it("opsrun", "inspect", "blur/build/release/lib/opsrun/blur.so")
        self.assertEqual("GPU code" in notes, built.NVCC is not None, notes)

    def test_for_tensorflow(self):
        self.new("blur", "--tensorflow")
        python = TENSORFLOW if TENSORFLOW.exists() and not SANITIZE else sys.executable
        self.build("blur", PATH=f"{os.path.dirname(python)}:{self.environment['PATH']}", VIRTUAL_ENV=str(python.parent.parent)
                   if python == TENSORFLOW else "")
        self.assertEqual((self.folder / "blur/build/release/tensorflow/blur.so").exists(), python == TENSORFLOW)

    def test_for_python(self):
        package = built.BUILD / "python"
        if not PYTHON.exists() or not package.exists() or SANITIZE:
            self.skipTest("the Python package is not built, or has sanitizers")
        self.new("blur", "--python")
        self.build("blur")
        wheels = []
        for folder in ("blur", "other/blur"):
            if folder != "blur":
                shutil.copytree(self.folder / "blur", self.folder / folder, ignore=shutil.ignore_patterns("build", "dist"))
            self.run_it(PYTHON, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", "wheels", ".", folder=folder,
                        PYTHONPATH=str(package), SOURCE_DATE_EPOCH="315532800")
            wheels.append(next((self.folder / folder / "wheels").iterdir()))
        self.assertEqual(wheels[0].read_bytes(), wheels[1].read_bytes())
        site = self.folder / "site"
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(site)
        self.assertIn("Name: opsrun-blur\nVersion: 0.1.0\n", next(site.glob("*.dist-info/METADATA")).read_text())
        printed = self.run_it(PYTHON, "-m", "unittest", "discover", "python", folder="blur", PYTHONPATH=f"{package}:{site}")
        self.assertIn("OK", printed)


if __name__ == "__main__":
    unittest.main()
