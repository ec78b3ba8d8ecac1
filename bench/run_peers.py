#!/usr/bin/env python3
"""bench/run_peers.py: the same work in opsrun, ONNX Runtime, TensorFlow, PyTorch and NumPy, measured in turns.

usage: bench/run_peers.py [--quick] [--only PARTS] [--rows TEXT] [--peers NAMES] [--python PEER=INTERPRETER]... [--no-install]

Makes an environment with each framework, unless there is one, by scripts/frameworks. Each peer runs in a process of its
own, and all take turns. Writes what it found to bench/results/peers.json, the table that follows from it to
bench/results/peers.txt, and the picture to docs/peers.svg. With --only, such as --only a,d, and --rows, other rows stay
as they are if they are of the same day, machine and versions. --quick takes two minutes, prints the table, and writes nothing.

A peer that is missing, that fails, or whose result is not that of the others is a remark below the table. The machine must be idle.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import contextlib
import datetime
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS_FOLDER = ROOT / "bench/peers"
sys.path.insert(0, str(PEERS_FOLDER))
import report  # noqa: E402
from cases import CASES, PARTS, PEERS  # noqa: E402
from processes import BUILD, PeerError, Worker, Workers, environment  # noqa: E402

DATA, TABLE, PICTURE = "bench/results/peers.json", "bench/results/peers.txt", "docs/peers.svg"
CLIENTS = 64
ENOUGH = 15  # no further turn after so many seconds
SETTINGS = ["Threads: of ONNX Runtime, intra-op (inter-op 1; in ORT_PARALLEL the other way round); of TensorFlow and PyTorch, intra-op and",
            "inter-op; of opsrun, all together; of NumPy, those of OpenBLAS. Feeds and results are in memory. Values are float32, but where",
            "a row says otherwise, and those of ZeroOut are int32."]


def agree(expected, found):
    """Whether two samples of results are the same but for rounding."""
    if expected["shape"] != found["shape"]:
        return False
    scale = max((abs(value) for value in expected["values"]), default=0)
    return all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-4 * scale) for a, b in zip(expected["values"], found["values"]))


class Measurement:
    """All rows of a case."""

    def __init__(self, case, workers, quick, folder):
        self.case, self.workers, self.pythons, self.folder = case, workers, workers.pythons, folder
        self.turns = (2 if quick else 7) if case.kind in ("start", "program", "memory") else (5 if quick else 21)
        self.quick, self.seconds = quick, 0.005 if quick else 0.025
        self.expected = None
        self.found = {}  # by peer: metrics of each turn
        self.errors, self.ways = {}, {}

    def attempt(self, peer, work):
        """The result of work(), or None: then the peer has an error."""
        try:
            return work()
        except PeerError as error:
            self.errors[peer] = str(error)
            return None

    def compare(self, results):
        for way, sample in results.items():
            self.expected = self.expected or sample
            if not agree(self.expected, sample):
                raise PeerError(f"the result{' of ' + way if way else ''} differs from the first peer's")

    def note(self, peer, metrics):
        self.compare(metrics.pop("results", {}))
        self.found.setdefault(peer, []).append(metrics)

    def take_turns(self, turns):
        """turns: by peer, a function that measures once and returns metrics."""
        begin = time.monotonic()
        for turn in range(self.turns):
            if turn > 0 and time.monotonic() - begin > ENOUGH:
                self.turns = turn
                break
            order = [peer for peer in turns if peer not in self.errors]
            for peer in order[turn % max(1, len(order)):] + order[:turn % max(1, len(order))]:
                self.workers.settle()
                self.attempt(peer, lambda peer=peer: self.note(peer, turns[peer]()))

    def rows(self):
        per = self.case.nodes
        for (name, _), metric in zip(self.case.rows(), self.case.metrics):
            values = {peer: [each[metric] / per for each in turns] for peer, turns in self.found.items() if peer not in self.errors}
            peers = {peer: {"median": statistics.median(each), "least": min(each)} for peer, each in values.items()}
            for peer, found in peers.items():
                found.update({"way": self.ways[peer]} if peer in self.ways else {})
            yield name, {"turns": self.turns, "peers": {**peers, **{peer: {"error": why} for peer, why in self.errors.items()}}}

    def measure(self):
        getattr(self, f"measure_{self.case.kind}")()
        return dict(self.rows())

    def measure_run(self):
        self.with_workers(lambda worker, ns: lambda: worker.ask("turn", calls=max(1, int(self.seconds * 1e9 / ns))))

    def measure_requests(self):
        self.with_workers(lambda worker, _: lambda: worker.ask("requests", clients=CLIENTS, each=4 if self.quick else 20))

    def with_workers(self, turn_of):
        turns = {}
        for peer in self.pythons:
            worker = self.workers.get(peer, self.case.threads)
            self.workers.settle()
            nanoseconds = self.attempt(peer, lambda worker=worker: self.prepare(worker))
            if nanoseconds:
                turns[peer] = turn_of(worker, nanoseconds)
        self.take_turns(turns)

    def prepare(self, worker):
        """Nanoseconds of a run."""
        found = worker.ask("prepare", graph=self.case.graph, folder=self.folder_of(worker.peer), compiles=not self.quick)
        self.compare(found["results"])
        if found["way"]:
            self.ways[worker.peer] = found["way"]
        return found["ns"]

    def folder_of(self, peer):
        folder = pathlib.Path(self.folder, peer)
        folder.mkdir(exist_ok=True)
        return str(folder)

    # Of a graph in a file of the peer's own format.
    def with_files(self, turn_of):
        turns = {}
        for peer in self.pythons:
            if peer == "numpy":
                self.errors[peer] = "NumPy has no graphs"
                continue
            worker = self.workers.get(peer, self.case.threads)
            saved = self.attempt(peer, lambda worker=worker: worker.ask(
                "save", graph=self.case.graph, folder=self.folder_of(worker.peer), compiled=self.case.compiled))
            if saved:
                turns[peer] = turn_of(worker, saved["path"])
        self.take_turns(turns)

    def measure_load(self):
        self.with_files(lambda worker, path: lambda: worker.ask("load", path=path, size=self.case.graph[-1]))

    def measure_memory(self):
        self.with_files(lambda worker, path: lambda: self.in_new_process(worker.peer, path))

    def in_new_process(self, peer, path):
        with contextlib.closing(Worker(peer, self.pythons[peer], self.case.threads)) as worker:
            return worker.ask("memory", path=path, size=self.case.graph[-1])

    def measure_start(self):
        def turn_of(worker, path):
            command = [self.pythons[worker.peer], "-B", PEERS_FOLDER / "worker.py", worker.peer, str(self.case.threads), "--start", path]
            return lambda: self.time_of_process(command)

        self.with_files(turn_of)

    def measure_program(self):
        path = pathlib.Path(self.folder, "program.yaml")
        path.write_text("opsrun: 1\nfeeds:\n  x: {value: [1, 2, 3, 4], dtype: float32}\nnodes:\n  z: {op: Sub, in: [x, x]}\noutputs: [z]\n",
                        encoding="utf-8")
        self.errors.update({peer: "it is a library without a program" for peer in self.pythons if peer != "opsrun"})
        self.take_turns({"opsrun": lambda: self.time_of_process([BUILD / "bin/opsrun", path])})

    def time_of_process(self, command):
        begin = time.perf_counter()
        made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(self.case.threads), check=False)
        if made.returncode != 0 or not made.stdout:
            raise PeerError("the process failed")
        return {"time": time.perf_counter() - begin}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        processor = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    return f"{os.cpu_count()} x {processor}, {os.uname().sysname} {os.uname().release.split('-')[0]}"


def interpreters(options):
    """({peer: interpreter}, {peer: why there is none})"""
    given = dict(each.split("=", 1) for each in options.python)
    pythons, missing = {}, {}
    ours = next((path for path in (ROOT / "build/venv/bin/python", sys.executable) if os.path.exists(path)), sys.executable)
    for peer in options.peers:
        venv = ROOT / f"build/venv_{peer}"
        if peer in given or peer in ("opsrun", "numpy"):
            pythons[peer] = given.get(peer, str(ours))
        elif (venv / "packages.txt").exists() or (not options.no_install and install(peer)):
            pythons[peer] = str(venv / "bin/python")
        else:
            missing[peer] = f"not installed: scripts/frameworks {peer} installs it"
    return pythons, missing


def install(peer):
    return subprocess.run([ROOT / "scripts/frameworks", peer], stdout=sys.stderr, check=False).returncode == 0


def versions(workers, missing):
    """Versions by peer; moves peers that cannot start from the workers' interpreters to missing."""
    found = {}
    for peer, python in list(workers.pythons.items()):
        try:
            found[peer] = workers.get(peer, 1).ask("hello")["version"]
        except PeerError as error:
            missing[peer] = str(error)
        except OSError as error:
            missing[peer] = f"{python}: {error.strerror}"
        if peer in missing:
            del workers.pythons[peer]
    return found


def earlier(path, facts):
    """The rows of an earlier run, if it was on this machine and with these versions."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    differ = [key for key in facts if key != "rows" and data.get(key) != facts[key]]
    if differ:
        print(f"run_peers: {path.name} is left behind: {', '.join(differ)} differ", file=sys.stderr)
        return {}
    known = {name for case in CASES for name, _ in case.rows()}
    return {name: row for name, row in data["rows"].items() if name in known}


def write(root, data):
    (root / DATA).write_text(report.stored(data), encoding="utf-8")
    (root / TABLE).write_text(report.text(data), encoding="utf-8")
    (root / PICTURE).write_text(report.picture(data), encoding="utf-8")


def names(allowed):
    def read(text):
        chosen = text.split(",")
        unknown = [each for each in chosen if each not in allowed]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; there are {', '.join(allowed)}")
        return chosen

    return read


def parse(words):
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="fewer rows and turns; writes nothing")
    options.add_argument("--only", type=names(list(PARTS)), default=list(PARTS), metavar="PARTS", help="such as a,d")
    options.add_argument("--rows", default="", metavar="TEXT", help="rows that contain the text, such as 'residual'")
    options.add_argument("--peers", type=names(list(PEERS)), default=list(PEERS), metavar="NAMES", help="such as opsrun,onnx")
    options.add_argument("--python", action="append", default=[], metavar="PEER=INTERPRETER", help="an environment that has the peer")
    options.add_argument("--no-install", action="store_true", help="report peers as missing rather than install them")
    return options.parse_args(words)


def measure(data, options, workers):
    """Adds rows to data, and writes the results after each case."""
    (ROOT / "build/peers").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if case.part in options.only and options.rows in case.name and (case.quick or not options.quick):
                print(f"run_peers: {case.name}", file=sys.stderr)
                data["rows"].update(Measurement(case, workers, options.quick, folder).measure())
                if not options.quick:
                    write(ROOT, data)


def main(words):
    options = parse(words)
    if not (BUILD / "python/opsrun").exists():
        sys.exit(f"run_peers: there is no build of the Python package in {BUILD}: run scripts/test once")
    pythons, missing = interpreters(options)
    with contextlib.closing(Workers(pythons)) as workers:
        found = versions(workers, missing)
        data = {"machine": f"{machine()}, {datetime.date.today()}", "settings": SETTINGS,
                "peers": {peer: found.get(peer, {"missing": missing.get(peer, "not asked for")}) for peer in PEERS}, "rows": {}}
        if not options.quick:
            data["rows"] = earlier(ROOT / DATA, data)
        measure(data, options, workers)
    print(report.text(data), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
