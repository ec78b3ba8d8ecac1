"""run_page.py: the example of each page in docs/errors shows the program's current output.

usage: run_page.py [--update] PAGE.md...

A page is named after its code. Its example is run in an empty folder, with an empty home directory: the block of YAML
becomes CODE.yaml, and the lines of the console block that begin with "$ " are run by a shell that finds opsrun. The
rest of that block must be the output, which must contain the code, and the exit status must be one of those in the line
"Exit code:". Comments before the blocks set up more:

    <!-- plugins: test -->                   the folder `plugins` holds the plugins of the tests; `bad`: the bad ones
    <!-- npy: x.npy int32 [2] 1 2 -->        as in README.md
    <!-- npz: x.npz key int32 [2] 1 2 -->
    <!-- text: x.npy some words -->
    <!-- cuda: fake -->                      there is a CUDA driver with two cards, whatever the machine has

Then the same is asked for as JSON and in the short format, and what is printed is checked against docs/diagnostics.md.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import built
import run_graph

COMMENT = re.compile(r"^<!-- ([a-z]+): (.*) -->$", re.M)
EXIT = re.compile(r"^Exit code: (.*)$", re.M)
GRAPH = re.compile(r"^```yaml\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.M | re.S)
SIMPLE = re.compile(r"opsrun [^;|&<>()]*$")
SHORT = re.compile(r"^(.+:\d+:\d+: |.+: |)(error|warning)\[[A-Z]\d{3}\]: \S.*$")
FIELDS = ["level", "code", "message", "file", "spans", "suggestion", "help", "notes"]
FRAME = ["text", "function", "file", "line", "module", "left_out"]


class Page:
    def __init__(self, path, to_update):
        self.path = pathlib.Path(path)
        self.to_update = to_update
        self.code = self.path.stem
        self.text = self.path.read_text(encoding="utf-8")
        graph = GRAPH.search(self.text)
        self.graph = graph and graph.group(1)
        console = CONSOLE.search(self.text)
        self.console = console.group(1) if console else ""
        self.environment = {}
        self.typed = [line for line in self.console.splitlines(True) if line.startswith("$ ")]

    def command(self, error_format=None):
        command = "; ".join(line[2:].strip() for line in self.typed)
        if SIMPLE.match(command):
            command = "exec " + command  # a waiting shell would report the program's end, in its own words
        return command if error_format is None else command.replace("opsrun ", f"opsrun --error-format {error_format} ")

    def lay_out(self, here):
        if self.graph:
            pathlib.Path(here, self.code + ".yaml").write_text(self.graph, encoding="utf-8")
        for key, value in COMMENT.findall(self.text):
            name, _, rest = value.partition(" ")
            if key == "plugins":
                os.symlink({"test": built.TEST_PLUGINS, "bad": built.BAD_PLUGINS}[name], os.path.join(here, "plugins"))
            elif key == "cuda":
                self.environment["LD_LIBRARY_PATH"] = built.FAKE_CUDA
            elif key in run_graph.MAKE:
                run_graph.MAKE[key](os.path.join(here, name), rest)
            else:
                raise ValueError(f"{self.path}: no comment '{key}'")

    def run(self, command):
        """(exit status, output) of a shell command."""
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            here, home, bin_folder = (os.path.join(folder, name) for name in ("here", "home", "bin"))
            for each in (here, home, bin_folder):
                os.mkdir(each)
            os.symlink(os.path.realpath(built.OPSRUN), os.path.join(bin_folder, "opsrun"))
            self.lay_out(here)
            environment = run_graph.environment(home)
            environment.update(self.environment)
            environment["PATH"] = bin_folder + ":" + environment["PATH"]
            done = subprocess.run(["sh", "-c", command], cwd=here, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
            status = done.returncode if done.returncode >= 0 else 128 - done.returncode
            text = done.stdout.decode("utf-8", errors="replace")
            for name, shown in ((here, "<here>"), (home, "<home>"), (os.path.realpath(built.BUILD), "<prefix>")):
                text = text.replace(name, shown)
            return status, run_graph.SANITIZERS.sub("", text)

    def check(self):
        """The errors of the page, as sentences."""
        if not self.typed:
            return
        status, printed = self.run(self.command())
        allowed = re.findall(r"\d+", EXIT.search(self.text).group(1))
        if str(status) not in allowed:
            yield f"exit status {status}, the page says {', '.join(allowed)}"
        if f"[{self.code}]: " not in printed:
            yield f"the example does not print {self.code}, but:\n{printed}"
        console = "".join(self.typed) + run_graph.TIMING.sub("", printed)
        if console != self.console and self.to_update:
            self.path.write_text(CONSOLE.sub(lambda _: console, self.text, count=1), encoding="utf-8")
        elif run_graph.BACKTRACE.sub("", console) != run_graph.BACKTRACE.sub("", self.console):
            yield f"printed now:\n{console}"
        yield from self.check_json()
        yield from self.check_short()

    def check_json(self):
        """One object per line, each with all its fields."""
        _, printed = self.run(self.command("json"))
        codes = []
        for line in printed.splitlines():
            if not line.startswith("{"):
                continue  # printed by a kernel, or by the shell after a crash
            found = json.loads(line)
            if found["level"] in ("error", "warning"):
                codes.append(found["code"])
                yield from self.check_object(found)
        if self.code not in codes:
            yield f"as JSON there is no {self.code}:\n{printed}"

    def check_object(self, found):
        if list(found) not in (FIELDS, [*FIELDS, "backtrace"]):
            yield f"fields {list(found)}"
        for frame in found.get("backtrace", []):
            if list(frame) != FRAME:
                yield f"fields {list(frame)} of a frame"
        for span in found["spans"]:
            begin, end = span["begin"], span["end"]
            if self.graph is None or found["file"] != self.code + ".yaml":
                continue
            lines = self.graph.encode().splitlines(True)
            for place in (begin, end):
                if place["byte"] != sum(map(len, lines[:place["line"] - 1])) + place["column"] - 1:
                    yield f"no such place: {place}"
            if not 0 <= begin["byte"] < end["byte"] <= len(self.graph.encode()):
                yield f"no span: {span}"

    def check_short(self):
        _, printed = self.run(self.command("short"))
        lines = [line for line in printed.splitlines() if f"[{self.code}]: " in line]
        if not lines:
            yield f"in short there is no {self.code}:\n{printed}"
        for line in lines:
            if not SHORT.match(line):
                yield f"not short: {line}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true", help="writes what is printed now into the pages")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    problems = [f"{page}: {problem}" for page in options.pages for problem in Page(page, options.update).check()]
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
