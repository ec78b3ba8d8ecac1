"""refusals_test.py: what happens to bad plugins, all of them in one directory, next to good ones.

refused.out has the verdict on each file, with every reason, by remedies; left_out.err the messages about files that are
used in part; told.err the messages for a graph that uses their ops; elsewhere.out the output of `refused_elsewhere`. With
OPSRUN_UPDATE=1 in the environment, it writes these files. failure_modes.md names every mode once, and nothing that does
not exist.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import damage
from built import BAD_PLUGINS, BUILD, BUNDLED, FAKE_CUDA, OPSRUN, ROOT, SANITIZED

HERE = pathlib.Path(__file__).resolve().parent

# Text that differs between machines and compilers.
MASKS = [(re.compile(pattern), text) for pattern, text in (
    (r"\(built with SDK [^)]*\)", "(built with <sdk and compiler>)"),
    (r"it has \d+ bytes", "it has <n> bytes"),
    (r"(segments|headers) need \d+", r"\1 need <n>"),
    (r"this machine is \S+", "this machine is <machine>"),
    (r"this one supports \S+", "this one supports <processor>"),
    (r"-march=\S+", "-march=<processor>"),
    (r"/\S+/(lib(c|stdc\+\+)\.so\.6)", r"<lib>/\1"),
    (r"_9\.9+", "_9.9"),
    (r"(provides at most \w+_|with glibc |GCC )\d[\d.]*", r"\1<version>"),
    (r"it also exports [^;]*?( and \d+ more)?(?=;|$)", "it also exports <symbols>"))]
# With these, an error that a sanitizer finds in opsrun itself is no other exit status.
FOUND = 99
OPTIONS = {name: f"{os.environ.get(name, '')}:exitcode={FOUND}" for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}
NO_LIBRARIES = {
    "text": b"echo hello\n", "empty": b"", "zeros": bytes(5000), "one_byte": b"\x7f", "bytes": b"\xff\xfe{\0}\0",
    "lfs_pointer": b"version https:" b"//git-lfs.github.com/spec/v1\noid sha256:0\nsize 41008\n",
    "page": b"\xef\xbb\xbf\n<!DOCTYPE HTML>\n<title>Sign in</title>", "not_found": b"404: Not Found",
    "linker_script": b"/* GNU ld script\n   Use the shared library */\nGROUP ( /lib/libc.so.6 )\n",
    "short_linker_script": b"INPUT(libx.so.1)", "archive": b"!<arch>\n", "bitcode": b"BC\xc0\xde5", "windows": b"MZ\x90\0\3",
    "macos": b"\xcf\xfa\xed\xfe\7\0\0\1", "macos_fat": b"\xca\xfe\xba\xbe\0\0\0\2", "gzip": b"\x1f\x8b\x08\0",
    "xz": b"\xfd7zXZ\0", "wheel": b"PK\3\4\x14\0", "webassembly": b"\0asm\1\0\0\0"}

GRAPH = """opsrun: 1
feeds:
  x: {value: [[1, 2], [3, 4]], dtype: int32}
nodes:
  z: {op: ZeroOut, in: x}
outputs: [z]
"""

# The ops of bad plugins, of a plugin that lacks what its notes declare, and of two plugins with the same name.
BAD_GRAPH = """opsrun: 1
nodes:
  a: {op: null_compute.Bad, in: []}
  b: {op: Ghost}
  c: {op: acme.images.Other}
  d: {op: must_understand.Demanding}
  e: {op: specs_of_later_level.OfAGraph}
outputs: []
"""


class Everything:
    """A directory with good and bad plugins, and with other files."""

    def __init__(self, folder):
        self.folder = pathlib.Path(os.path.realpath(folder))
        self.good, self.all, self.slow = (self.folder / name for name in ("good", "all", "slow"))
        shutil.copytree(BUNDLED, self.good, ignore=lambda _, names: [n for n in names if ".so" not in n])
        shutil.copytree(BAD_PLUGINS / "faults", self.all, ignore=shutil.ignore_patterns("CMake*", "*.cmake", "slow"))
        for path in (*BAD_PLUGINS.glob("*.so"), *BAD_PLUGINS.glob("built_oddly/*.so"),
                     *self.good.glob("*.so")):
            shutil.copy(path, self.all)
        for name, content in damage.damaged(lambda name: (self.all / f"{name}.so").read_bytes()):
            (self.all / f"{name}.so").write_bytes(content)
        library = self.all / "of_library_lacks_a_version/library.so"
        library.write_bytes(damage.Elf(library.read_bytes()).rename_version(b"GLIBC_2", b"GLIBC").data)
        (self.all / "packed.so").unlink(missing_ok=True)  # not every linker makes it
        self.add_what_is_no_plugin()
        self.slow.mkdir()
        shutil.copy(BAD_PLUGINS / "faults/slow/hangs.so", self.slow)

    def add_what_is_no_plugin(self):
        for name, content in NO_LIBRARIES.items():
            (self.all / f"{name}.so").write_bytes(content)
        (self.all / "folder.so").mkdir()
        (self.all / "leads_to_nothing.so").symlink_to("nowhere.so")
        (self.all / "leads_to_itself.so").symlink_to("leads_to_itself.so")
        os.mkfifo(self.all / "pipe.so")
        (self.all / ".hidden.so").write_bytes((self.all / "good.so").read_bytes())
        (self.all / "words.txt").write_text("nothing to see\n")

    def opsrun(self, command, *places, **environment):
        words = [word for place in places for word in ("--plugins", place)]
        done = subprocess.run([OPSRUN, *command, "--no-default-plugins", *words], capture_output=True, text=True,
                              timeout=300, check=False, cwd=self.folder,
                              env={**os.environ, **OPTIONS, "XDG_CACHE_HOME": str(self.folder / "cache"),
                                   "LD_LIBRARY_PATH": FAKE_CUDA, **environment})
        assert 0 <= done.returncode < 64, (command, done.returncode, done.stderr[-4000:])
        return done

    def masked(self, text):
        for name in (self.all, self.slow):
            text = text.replace(str(name) + "/", "")
        for pattern, instead in MASKS:
            text = pattern.sub(instead, text)
        return text


def refusals(everything):
    """The text of refused.out."""
    found = {}  # lines, by remedies
    listed = everything.opsrun(["plugins", "--json"], everything.all, everything.slow)
    good = {path.name for path in everything.good.iterdir()}
    for plugin in json.loads(listed.stdout):
        if pathlib.Path(plugin["file"]).name in good:
            assert plugin["verdict"] in ("ok", "compatible"), plugin
            continue
        verdict = f"{pathlib.Path(plugin['file']).name}: {plugin['verdict']}"
        remarks = [check for check in plugin["checks"] if check["state"] != "ok"]
        for check in remarks:
            reason = everything.masked(check["found"].rstrip()).replace("\n", "\n    ")
            found.setdefault(everything.masked(check["remedy"]), []).append(f"{verdict}, {check['check']}: {reason}\n")
        if not remarks:
            found.setdefault("nothing", []).append(verdict + "\n")
    return "".join(f"fix: {remedy}\n{''.join(lines)}" for remedy, lines in sorted(found.items()))


def left_out(everything):
    """The text of left_out.err."""
    notes = everything.opsrun(["schema", "-o", "graph.schema.json"], everything.all).stderr
    lines = [line for line in notes.splitlines(True) if re.search(r"is left out|it changed", line)]
    return everything.masked("".join(sorted(lines)))


def told(everything):
    """The text of told.err."""
    graph = everything.folder / "bad.yaml"
    graph.write_text(BAD_GRAPH)
    later, no_folder = everything.folder / "later", everything.all / "text.so"
    later.mkdir()
    for name in ("good", "unnoted"):
        shutil.copy(everything.all / f"{name}.so", later)
    shutil.copy(everything.all / "good.so", later / "other.so")
    shutil.copy(everything.all / "named.so", everything.all / "named_again.so")
    done = everything.opsrun(["check", "--error-format=short", graph], everything.all, later, OPSRUN_PLUGIN_PATH=no_folder)
    (everything.all / "named_again.so").unlink()
    return everything.masked(done.stderr.replace(str(everything.folder) + "/", "<here>/"))


class Refusals(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.everything = Everything(folder.name)

    def expect(self, name, text):
        if SANITIZED:  # sanitizers add to what plugins export and need, and end processes in their own way
            return
        path = HERE / name
        if os.environ.get("OPSRUN_UPDATE"):
            path.write_text(text, encoding="utf-8")
        self.assertEqual(path.read_text(encoding="utf-8"), text)

    def test_each_is_refused_with_its_reason_and_a_remedy(self):
        self.expect("refused.out", refusals(self.everything))

    def test_each_part_that_is_left_out_is_named(self):
        self.expect("left_out.err", left_out(self.everything))

    def test_a_graph_that_names_bad_ones_is_told_why(self):
        self.expect("told.err", told(self.everything))

    def test_what_is_said_elsewhere(self):
        said = subprocess.run([BUILD / "bin/refused_elsewhere"], capture_output=True, text=True, timeout=60, check=True).stdout
        self.expect("elsewhere.out", self.everything.masked(said))

    def test_a_graph_that_needs_good_ones_does_not_notice(self):
        everything = self.everything
        graph = everything.folder / "g.yaml"
        graph.write_text(GRAPH)
        for command in (["run", graph], ["run", "--no-probe", graph], ["check", graph], ["explain", "ZeroOut"]):
            with self.subTest(command=command[:-1]):
                answers = []
                for place in (everything.good, everything.all):
                    done = everything.opsrun(command, place)
                    answers.append((done.returncode, done.stdout.replace(str(place), "<plugins>"),
                                    re.sub(r"^ok: .*\n", "", done.stderr, flags=re.M)))
                self.assertEqual(answers[0], answers[1])
                self.assertEqual(answers[0][0], 0, answers[0])


# failure_modes.md.
MODES = 41
LEAST_PROVOKED = 35
ROWS = [[cell.strip() for cell in line.strip("|\n").split("|")]
        for line in (HERE / "failure_modes.md").read_text().splitlines() if line.startswith("| ") and not line.endswith("| shown by |")]
SOURCES = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*")
                    if path.suffix == ".cc" or path.name == "CMakeLists.txt")


def exists(name):
    """Whether there is a file or a test of this name."""
    if name.endswith(".so"):
        return f"\n{name}: " in "\n" + (HERE / "refused.out").read_text()
    suite, test = name.split(".")[-2:]
    if re.search(rf"TEST(_F|_P)?\({suite},\s*{test}\)", SOURCES) or re.search(rf"NAME {re.escape(name)}\b", SOURCES):
        return True
    if re.search(rf"NAME {re.escape(name)}\$", SOURCES):  # a variable follows
        return True
    return name.startswith("graphs.") and (ROOT / f"tests/graphs/{test}.yaml").exists()


class FailureModes(unittest.TestCase):
    def test_every_mode_has_a_line(self):
        modes = [row[0] for row in ROWS if re.fullmatch(r"F\d+", row[0])]
        self.assertEqual(modes, [f"F{i}" for i in range(1, MODES + 1)])

    def test_most_can_be_provoked(self):
        not_provoked = [row[0] for row in ROWS if row[-2] == "not provoked"]
        self.assertGreaterEqual(MODES - len(not_provoked), LEAST_PROVOKED, not_provoked)

    def test_every_name_exists(self):
        for row in ROWS:
            names = [name for name in re.findall(r"`([^`]+)`", row[-1]) if re.fullmatch(r"[\w.]+", name) and "." in name]
            self.assertTrue(names or row[-2] == "not provoked", row)
            for name in names:
                self.assertTrue(exists(name), f"{row[0]}: {name}")
