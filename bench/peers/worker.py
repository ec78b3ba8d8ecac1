"""bench/peers/worker.py: one peer in a process of its own, for bench/run_peers.py.

usage: worker.py PEER THREADS              reads requests from stdin and answers on stdout, one JSON object a line
       worker.py PEER THREADS --start FILE  loads a graph of one node, runs it, and prints the result

SPDX-License-Identifier: Apache-2.0
"""

import gc
import importlib
import json
import os
import sys
import time

ENOUGH = 0.1  # seconds of runs that tell which way is the fastest


def sample(array):
    """The shape of a result, and at most 1,000 of its elements, evenly spaced."""
    flat = array.reshape(-1)
    values = flat[::max(1, flat.size // 1000)][:1000].copy()
    return {"shape": list(array.shape), "values": values.view(values.real.dtype).tolist()}  # two numbers for a complex one


def time_of(run, calls):
    """Nanoseconds a call."""
    begin = time.perf_counter_ns()
    for _ in range(calls):
        run()
    return (time.perf_counter_ns() - begin) / calls


def quick_look(run):
    """The least time of some calls, in nanoseconds."""
    for _ in range(3):  # TorchScript optimizes in the first calls
        run()
    least, end = time_of(run, 1), time.perf_counter() + ENOUGH
    while time.perf_counter() < end:
        least = min(least, time_of(run, 1))
    return least


def resident(field):
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def at_once(run, clients, each):
    """Seconds for a request, and the 99th percentile of what a client waits, of clients that all ask without pause."""
    import threading

    waited, begin = [], threading.Barrier(clients + 1)

    def ask():
        begin.wait()
        for _ in range(each):
            since = time.perf_counter()
            run()
            waited.append(time.perf_counter() - since)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    begin.wait()
    since = time.perf_counter()
    for thread in threads:
        thread.join()
    return {"time a request": (time.perf_counter() - since) / len(waited),
            "p99 of waiting": sorted(waited)[len(waited) * 99 // 100]}


def words_of(error):
    """What goes into the table: one line, and the type unless the peer itself says that it has no such thing."""
    kind = "" if isinstance(error, NotImplementedError) else f"{type(error).__name__}: "
    return f"{kind}{error}".splitlines()[0]


def chain_feeds(size):
    import graphs

    return graphs.chains(1, 1, size).feeds


class Worker:
    def __init__(self, peer, threads):
        self.peer = importlib.import_module(f"in_{peer}")
        self.peer.configure(threads)
        self.threads = threads
        self.run = self.graph = None

    def hello(self):
        return {"version": self.peer.version()}

    def prepare(self, graph, folder, compiles):
        """Builds the graph in all ways that the peer has, and keeps the fastest. compiles: with ways that take long to prepare."""
        import graphs

        self.run = self.graph = None
        gc.collect()
        self.graph = graphs.build(graph)
        ways = self.peer.ways(self.graph, self.threads, folder, compiles)
        results = {name: sample(self.peer.to_numpy(run(), self.graph)) for name, run in ways.items()}
        times = {name: quick_look(run) for name, run in ways.items()}
        way = min(times, key=times.get)
        self.run = ways[way]
        return {"way": way if len(ways) > 1 else "", "ns": times[way], "results": results}

    def turn(self, calls):
        self.run()  # the caches were another process's
        return {"time": time_of(self.run, calls) * 1e-9}

    def requests(self, clients, each):
        return at_once(self.run, clients, each)

    def save(self, graph, folder, compiled=False):
        import graphs

        path = os.path.join(folder, f"graph{self.peer.ENDING}")
        self.peer.save(graphs.build(graph), path)
        if compiled and hasattr(self.peer, "compile_graph"):
            path = self.peer.compile_graph(path)
        return {"path": path}

    def load(self, path, size):
        """Seconds from the file of a graph of chains of this size to its result."""
        feeds = chain_feeds(size)
        begin = time.perf_counter()
        result = self.peer.load(path)(feeds)
        return {"time": time.perf_counter() - begin, "results": {"": sample(self.peer.to_numpy(result, None))}}

    def memory(self, path, size):
        """Bytes that loading and running a graph adds to the most that the process has had."""
        feeds = chain_feeds(size)
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        before = resident("VmRSS:")
        result = self.peer.load(path)(feeds)
        return {"bytes": resident("VmHWM:") - before, "results": {"": sample(self.peer.to_numpy(result, None))}}


def serve(worker, requests, answers):
    for line in requests:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except Exception as error:  # noqa: BLE001: whatever a peer raises becomes a line of the table
            answer = {"error": words_of(error)}
        print(json.dumps(answer), file=answers, flush=True)


def main():
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what frameworks print is no answer
    peer, threads = sys.argv[1], int(sys.argv[2])
    if sys.argv[3:4] == ["--start"]:
        module = importlib.import_module(f"in_{peer}")
        module.configure(threads)
        print(module.first_result(sys.argv[4]).tolist(), file=answers, flush=True)
        return
    try:
        worker = Worker(peer, threads)
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"error": words_of(error)}), file=answers, flush=True)
        return
    serve(worker, sys.stdin, answers)


if __name__ == "__main__":
    main()
