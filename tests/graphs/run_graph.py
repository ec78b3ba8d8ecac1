"""run_graph.py: runs one graph as a user would and compares the output. README.md describes the format of a case.

usage: run_graph.py [--opsrun PROGRAM] [--test-plugins DIR] [--expect DIR] [--valgrind PROGRAM] [--whole] [--compiled]
                    [--device NAME] [--isolate] [--first-plugins DIR] [--update] GRAPH.yaml...

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import contextlib
import difflib
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import built
import npy
from short_text import CLOSING, closing_of, folded, without_layout

SKIPPED = 77
DIRECTIVE = re.compile(r"# ([a-z]+): (.*\S)\s*$")
KEYS = {"run", "command", "row", "beside", "exit", "plugins", "after", "npy", "npz", "text", "show", "mask", "cuda", "stays"}
TIMING = re.compile(r"^ok: .*\n", re.M)
# Where a plugin crashed depends on how it was built; tests/bad_plugins/backtrace_test.py is about that.
BACKTRACE = re.compile(r"^ +(?:= backtrace:\n(?: {6}.*\n)+|= note: no backtrace: .*\n)", re.M)
# A number that is not part of a word such as int32, with its unit; whether a measurement is stable; the spaces that
# align it in a column.
FIGURE = re.compile(r"(?<![\w.])\d[\d.]*(e[+-]?\d+)?( ([num]?s|[kMG]?B/s|[KMG]iB|B|[kMG]|%)(?!\w))?")
STABLE = re.compile(r"(?<=; )(not )?stable.*|(?<=\"stable\": )(true|false)")
# For a plugin in plain C. The linker decides whether it needs the C library if no code uses it.
SANITIZERS = re.compile(r"^  (?:needs .*\blib(?:a|t|ub)san\.so.*|needs +libc\.so\.6|built for .* sanitizer.*)\n"
                        r"|^==\d+==WARNING: ASan (?:doesn't fully|is ignoring requested __asan.*\n.*\n).*\n", re.M)
# Facts about a plugin that depend on the machine that built it.
FACTS = re.compile(r"^(  compiler  |    ok {8}(?:libraries|versions|symbols) +).*", re.M)
BLANKS = re.compile(r"(?<=\S) {2,}")


def directives(path):
    """The (key, value) lines at the head of a file; a ValueError for an unknown key."""
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.startswith("#"):
                break
            match = DIRECTIVE.match(line)
            if not match:
                continue
            if match.group(1) not in KEYS:
                raise ValueError(f"{path}: no directive '{match.group(1)}'; there are {', '.join(sorted(KEYS))}")
            found.append(match.groups())
    return found


def write_text(path, line):
    pathlib.Path(path).write_text(line + "\n", encoding="utf-8")


MAKE = {"npy": npy.write, "npz": npy.add, "text": write_text}  # how to make the file of a directive


class Case:
    """A graph, how to run it, and the expected output."""

    def __init__(self, graph, options):
        self.graph = graph
        self.options = options
        self.stem = os.path.splitext(os.path.basename(graph))[0]
        self.folder = pathlib.Path(options.expect or os.path.dirname(os.path.abspath(graph)))
        run_file = self.folder / f"{self.stem}.run"
        self.directives = directives(run_file if run_file.exists() else graph)
        self.rows = self.all("row") or [None]  # the texts in place of <row>
        assert self.rows == [None] or not options.expect and re.search(rb"(?m)^(?!#).*<row>", self.text(None)), "no <row>"

    def all(self, key):
        return [value for name, value in self.directives if name == key]

    def one(self, key, default):
        return (self.all(key) or [default])[-1]

    def text(self, row):
        """The bytes of the graph with this row."""
        text = pathlib.Path(self.graph).read_bytes()
        return text if row is None else text.replace(b"<row>", row.replace("\\n", "\n").replace("\\t", "\t").encode())

    def commands(self):
        return self.all("command") or [f"{words} {self.stem}.yaml" for words in self.all("run") or ["run"]]

    def arguments(self, command):
        words = [word.replace("<build>", str(built.BUILD)) for word in shlex.split(command)]
        where = ["--device", self.options.device] if self.options.device else []
        return words + self.plugins() + where + (["--isolate", "all"] if self.options.isolate else [])

    def lay_out(self, here, row):
        """Writes the files of the case into the folder that it runs in."""
        if self.options.expect:
            # An .npy file in that folder is left from running a graph by hand.
            shutil.copytree(os.path.dirname(os.path.abspath(self.graph)), here, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("*.npy"))
        else:
            pathlib.Path(here, self.stem + ".yaml").write_bytes(self.text(row))
        for name in self.all("beside"):
            shutil.copy(self.folder / name, here)
        for key, value in self.directives:
            if key in MAKE:
                name, rest = value.split(" ", 1)
                MAKE[key](os.path.join(here, name), rest)

    def call(self, program, here, home):
        variables = environment(home)
        if self.one("cuda", None) == "fake":
            variables.pop("CUDA_VISIBLE_DEVICES", None)  # messages about cards contain it
            variables["LD_LIBRARY_PATH"] = built.FAKE_CUDA
        return subprocess.run(program, cwd=here, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=300, check=False)

    def script(self, command, here, home):
        """The output of a Python script beside the graph."""
        done = self.call([sys.executable, "-B", *shlex.split(command)], here, home)
        return (done.stdout + done.stderr).decode()

    @contextlib.contextmanager
    def prepared(self, row):
        """The folder that the case runs in, and its home directory."""
        with tempfile.TemporaryDirectory() as folder:
            here = os.path.join(os.path.realpath(folder), "case")
            home = os.path.join(os.path.realpath(folder), "home")
            os.mkdir(here)
            os.mkdir(home)
            self.lay_out(here, row)
            yield here, home

    def run(self):
        """(exit statuses as a shell reports them, stdout, stderr), with everything that differs between machines
        replaced."""
        runs, shown = [], ""
        for row in self.rows:
            with self.prepared(row) as (here, home):
                runs += self.run_row(row, here, home)
                shown += self.shown(here, home)
        statuses = [status for _, status, _, _ in runs]
        out = self.together([(label, out) for label, _, out, _ in runs]) + shown
        err = self.together([(label, err) for label, _, _, err in runs])
        return " ".join(map(str, statuses[:1] if len(set(statuses)) == 1 else statuses)), self.mask(out), self.mask(err)

    def run_row(self, row, here, home):
        """(label, exit status, stdout, stderr) of each command."""
        if self.options.whole:
            self.fill_in(here, home)
        compiled = self.options.compiled and self.compiles(here, home)
        program = [self.options.opsrun]
        if self.options.valgrind:
            program = [self.options.valgrind, "-q", "--leak-check=full", "--error-exitcode=99", *program]
        for command in self.commands():
            words = command.replace(self.stem + ".yaml", self.stem + ".opsplan") if compiled else command
            done = self.call(program + self.arguments(words), here, home)
            status = done.returncode if done.returncode >= 0 else 128 - done.returncode
            out, err = (self.clean(each, os.path.dirname(here)) for each in (done.stdout, done.stderr))
            if compiled:
                out, err = (each.replace(self.stem + ".opsplan", self.stem + ".yaml") for each in (out, err))
            label = f"$ opsrun {command}" if row is None else f"# row: {row}"
            yield label, status, without_layout(out), self.shortened(TIMING.sub("", err), row)

    def shown(self, here, home):
        """What the directives show after the commands."""
        shown = "".join(f"{name}: {npy.show(os.path.join(here, name))}\n" for name in self.all("show"))
        shown += "".join(self.script(command, here, home) for command in self.all("after"))
        stray = sorted(set(os.listdir(home)))
        return shown + (f"left in the home directory: {', '.join(stray)}\n" if stray else "")

    @staticmethod
    def together(texts):
        """What the only run printed; of several, each text below the labels of those that printed it one after another."""
        if len(texts) == 1:
            return texts[0][1]
        groups = itertools.groupby(texts, lambda pair: pair[1])
        return "".join("".join(f"{label}\n" for label, _ in group) + text for text, group in groups if text)

    def plugins(self):
        first = ["--plugins", self.options.first_plugins] if self.options.first_plugins else []
        return first + (["--plugins", self.options.test_plugins] if self.one("plugins", None) == "test" else [])

    def fill_in(self, here, home):
        """Replaces the graph by the output of opsrun config."""
        name = self.stem + ".yaml"
        done = self.call([self.options.opsrun, "config", name, *self.plugins()], here, home)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: opsrun config ends with {done.returncode}:\n{done.stderr.decode()}")
        pathlib.Path(here, name).write_bytes(done.stdout)

    def compiles(self, here, home):
        """Whether there is a compiled graph now, in place of the graph and the arrays of its feeds."""
        name = self.stem + ".yaml"
        if self.call([self.options.opsrun, "compile", name, *self.plugins()], here, home).returncode != 0:
            return False
        os.remove(os.path.join(here, name))
        return True

    def is_run(self):
        """Whether the graph itself is run."""
        return self.all("command") == [] and all(words.split()[0] == "run" for words in self.all("run"))

    def runs_well(self):
        """Whether the graph itself is run and expected to succeed."""
        return self.is_run() and self.one("exit", "0") == "0"

    def mask(self, text):
        """Removes measured values from the output."""
        if self.one("mask", None) != "figures":
            return text
        text = text.replace(cpu_model(), "<cpu>")
        return BLANKS.sub("  ", FIGURE.sub("#", STABLE.sub("<stable or not>", text)))

    def clean(self, output, folder):
        text = output.decode("utf-8", errors="replace")
        names = {os.path.realpath(folder) + "/case": "<here>", os.path.realpath(folder) + "/home": "<home>",
                 self.options.test_plugins: "<test plugins>", str(built.BUILD): "<build>"}
        for name, stands_for in names.items():
            text = text.replace(name, stands_for)
        return BACKTRACE.sub("", FACTS.sub(r"\1...", SANITIZERS.sub("", text)))

    def expected(self, suffix):
        path = self.folder / (self.stem + suffix)
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def shortened(self, err, row):
        """Without the summary at the end, if it is correct, and without the lines that are quoted as they are in the
        graph; unchanged if the expected text has a summary."""
        closing = closing_of(err)
        if CLOSING.search(self.expected(".err")):
            return err
        lines = self.text(row).decode("utf-8", errors="replace").split("\n")
        return folded(err.removesuffix(closing) if err.endswith("\n" + closing) else err, self.stem + ".yaml", lines)

    def expect(self, suffix, text):
        path = self.folder / (self.stem + suffix)
        path.write_text(text, encoding="utf-8")
        if not text:
            path.unlink()

    def check(self):
        """Runs the case; true if everything is as expected."""
        status, out, err = self.run()
        ok = True
        if status != self.one("exit", "0"):
            print(f"{self.stem}: exit status {status}, expected {self.one('exit', '0')}\n{err}")
            ok = False
        # Locations in messages are those of the original graph, and devices have their own messages.
        results_only = self.options.whole or self.options.device or self.options.isolate
        for suffix, text in ((".out", out),) if results_only else ((".out", out), (".err", err)):
            if self.options.update and ok:
                self.expect(suffix, text)
            elif text != self.expected(suffix):
                sys.stdout.writelines(difflib.unified_diff(
                    self.expected(suffix).splitlines(True), text.splitlines(True), self.stem + suffix, "printed now"))
                ok = False
        return ok


def cpu_model():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else "unknown CPU"


def environment(home):
    """Without the user's plugin path and colors, but with the options of sanitizers, malloc and the fake driver."""
    kept = {name: value for name, value in os.environ.items()
            if name.endswith(("SAN_OPTIONS", "MALLOC_PERTURB_", "XDG_CACHE_HOME"))
            or name.startswith(("OPSRUN_DOUBLE", "CUDA_"))}
    if "OPSRUN_DOUBLE_SCHEDULE" in kept:
        kept["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return {"PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8", "XDG_CACHE_HOME": "/dev/null", **kept}


def parsed():
    """The options, and the cases of the graphs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--opsrun", default=built.OPSRUN)
    parser.add_argument("--test-plugins", default=str(built.TEST_PLUGINS), help="the plugins of '# plugins: test'")
    parser.add_argument("--expect", help="where the .run, .out and .err are, of a graph that needs the files beside it")
    parser.add_argument("--valgrind", help="run under it; skipped if it ends in NOTFOUND")
    parser.add_argument("--whole", action="store_true", help="run, in place of each graph that runs without a failure, "
                        "what opsrun config prints of it; compare what it prints on stdout")
    parser.add_argument("--compiled", action="store_true", help="run what opsrun compile writes of each graph that is "
                        "run; compare all that it prints")
    parser.add_argument("--device", help="run, of the graphs, those that run without a failure, there; compare what they "
                        "print on stdout")
    parser.add_argument("--isolate", action="store_true", help="the same, with every plugin in a process of its own; not "
                        "those with a line '# stays: REASON'")
    parser.add_argument("--first-plugins", help="hide others of their names")
    parser.add_argument("--update", action="store_true", help="writes what is printed now as what is expected")
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    if options.valgrind and options.valgrind.endswith("NOTFOUND"):
        print("skipped: valgrind is not installed")
        sys.exit(SKIPPED)
    return options, [Case(graph, options) for graph in options.graphs]


def main():
    options, cases = parsed()
    if options.whole or options.device or options.isolate:
        cases = [case for case in cases if case.runs_well()]
    if options.device:  # the kernels of isolated plugins run on the processor
        cases = [case for case in cases if not any("--isolate" in command for command in case.commands())]
    if options.isolate:
        cases = [case for case in cases if not case.all("stays")]
    if options.compiled:
        cases = [case for case in cases if case.is_run()]
    results = [case.check() for case in cases]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
