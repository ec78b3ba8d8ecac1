"""agreement_test.py: the commands that load a graph report the same errors.

Each graph is given to check, graph, config and plan. They must report the same messages, codes and places, and exit
with the same status. The commands that run graphs must report these too; for a graph without errors they may report
errors of the run. With the feeds of the case, config, plan and these are compared. Those that measure are slow, so they
get every eighth graph.

usage: agreement_test.py with the options of run_graph.py, GRAPH.yaml...

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import json
import os
import sys

import run_graph

LOADS = ["check", "graph --dot", "config", "plan"]
MEASURES = ["bench", "graph --profile", "report"]
RUNS = ["run --timeout 1s", *(f"{command} --seconds 10ms --timeout 1s" for command in MEASURES)]
EVERY = 8


def only_in_a_run(code):
    """Whether the message is about a kernel, a limit, a file of outputs, or a missing feed."""
    return code.startswith("R") or code == "F304"


def messages(stderr):
    """(code, line, column) of each error and warning."""
    found = []
    for line in stderr.decode().splitlines():
        message = json.loads(line) if line.startswith("{") else {}  # other lines are printed by kernels
        if message.get("level") in ("error", "warning"):
            places = [span["begin"] for span in message["spans"] if span["primary"]]
            found.append((message["code"], *((places[0]["line"], places[0]["column"]) if places else ())))
    return sorted(found)


def feeds(case):
    words = case.arguments(next((c for c in case.commands() if "--feed" in c), case.commands()[0]))
    return [part for i, word in enumerate(words) if word == "--feed" for part in words[i:i + 2]]


def differences(case, commands):
    """Where the commands' reports about the case differ from that of the first one."""
    return [difference for row in case.rows for difference in differences_in_row(case, row, commands)]


def differences_in_row(case, row, commands):
    with case.prepared(row) as (here, home):
        def answer(command, more):
            program = [case.options.opsrun, *command.split(), case.stem + ".yaml", "--error-format", "json"]
            done = case.call([*program, *more, *case.plugins()], here, home)
            return done.returncode, messages(done.stderr)

        def compare(commands, more=()):
            expected = answer(commands[0], more)
            for command in commands[1:]:
                status, found = answer(command, more)
                if command in RUNS and expected[0] == 0:
                    status, found = 0, [message for message in found if not only_in_a_run(message[0])]
                elif command in RUNS:
                    found = [message for message in found if message in expected[1] or not only_in_a_run(message[0])]
                if (status, found) != expected:
                    yield f"{case.stem}: {commands[0]}: {expected}; {command} {' '.join(more)}: {(status, found)}"

        return [*compare(commands), *(compare(["plan", "config", *RUNS], feeds(case)) if feeds(case) else ())]


def main():
    _, cases = run_graph.parsed()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        commands = [LOADS + (RUNS[:1] if i % EVERY else RUNS) for i in range(len(cases))]
        found = sum(workers.map(differences, cases, commands), [])
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
