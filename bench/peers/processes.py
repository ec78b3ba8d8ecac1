"""bench/peers/processes.py: a process for each peer, and their use of the processors, for bench/run_peers.py.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import json
import os
import pathlib
import select
import subprocess
import time

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
BUILD = pathlib.Path(os.environ.get("OPSRUN_BUILD", ROOT / "build/release"))
LIMIT = 300  # seconds that a peer has for an answer


class PeerError(Exception):
    """What a peer could not do, in words for the table."""


class Worker:
    """A peer in a process of its own."""

    def __init__(self, peer, python, threads):
        self.peer = peer
        self.process = subprocess.Popen([python, "-B", FOLDER / "worker.py", peer, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
                                        env=environment(threads))

    def ask(self, do, **request):
        """The answer. Raises PeerError if there is none."""
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended, maybe with an answer
        ready, _, _ = select.select([self.process.stdout], [], [], LIMIT)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.process.kill()
            raise PeerError("the process ended" if ready else f"more than {LIMIT} s")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer

    def close(self):
        self.process.kill()
        self.process.communicate()


class Workers:
    """The processes of the peers, which are kept, since frameworks take seconds to import."""

    def __init__(self, pythons):
        self.pythons, self.kept = pythons, {}

    def get(self, peer, threads):
        worker = self.kept.get((peer, threads))
        if worker is None or worker.process.poll() is not None:
            worker = self.kept[peer, threads] = Worker(peer, self.pythons[peer], threads)
        return worker

    def settle(self):
        """Waits until all processes sleep: after a call, threads of some peers poll for the next one, for 100 ms."""
        end = time.monotonic() + 1
        time.sleep(0.003)
        while self.is_any_running() and time.monotonic() < end:
            time.sleep(0.003)

    def is_any_running(self):
        running = [worker.process.pid for worker in self.kept.values() if worker.process.poll() is None]
        return any("R" in states_of_threads(pid) for pid in running)

    def close(self):
        for worker in self.kept.values():
            worker.close()


def states_of_threads(pid):
    """A letter for each, as in /proc: R if it runs, or could."""
    states = []
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            states.append((thread / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0])
    return states


def environment(threads):
    path = os.pathsep.join(filter(None, [str(BUILD / "python"), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads),
            "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "XDG_CACHE_HOME": str(ROOT / "build/peers/cache")}
