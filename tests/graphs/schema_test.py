"""schema_test.py: does the schema of graph files accept and reject the same graphs as opsrun?

usage: schema_test.py [--update] GRAPH.yaml...

examples/graph.schema.json is the schema for the bundled plugins, which the examples use. Each graph that runs must be valid. The
findings for graphs that opsrun rejects are in schema_findings.txt, beside this script: a graph with errors that a
schema cannot detect has "nothing" there. --update writes both files.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys

import built
import run_graph

SKIPPED = 77
FINDINGS = built.ROOT / "tests/graphs/schema_findings.txt"
COMMITTED = built.ROOT / "examples/graph.schema.json"

# A graph with a misspelled key in one place, so that opsrun lists the allowed keys; and where the schema has them.
PLACES = {
    "a graph": ("{opsrun: 1, nodez: 1}", ()),
    "a feed": ("{opsrun: 1, feeds: {x: {value: 1, valu: 1}}}", ("definitions", "feed")),
    "a node": ("{opsrun: 1, nodes: {n: {op: ZeroOut, attr: 1}}}", ("definitions", "node")),
    "an output": ("{opsrun: 1, outputs: {o: {from: n, fron: n}}}", ("definitions", "output")),
    "a check": ("{opsrun: 1, checks: [{from: n, value: 1, fron: n}]}", ("definitions", "check")),
}


def fail(text):
    print(text)
    return False


def call(*words, text=None):
    return subprocess.run([built.OPSRUN, *words, "--no-default-plugins", "--plugins", built.BUNDLED],
                          input=text, capture_output=True, text=True, check=False, timeout=100)


def is_up_to_date(options, schema):
    """The committed schema is the one that opsrun writes now."""
    if options.update:
        COMMITTED.write_text(schema, encoding="utf-8")
    if COMMITTED.read_text(encoding="utf-8") == schema:
        return True
    return fail(f"{COMMITTED} is not what 'opsrun schema' writes now; run the target update_graphs")


def has_the_keys(schema):
    """The schema accepts exactly the keys that opsrun lists."""
    ok = True
    for owner, (graph, path) in PLACES.items():
        words = call("check", "-", text=graph).stderr
        said = re.search(re.escape(owner) + r" takes ([a-z_, ]+), x-", words)
        place = json.loads(schema)
        for key in path:
            place = place[key]
        if not said or set(said.group(1).split(", ")) != set(place["properties"]):
            ok = fail(f"keys of {owner}: opsrun says {words!r}, the schema has {sorted(place['properties'])}")
    return ok


def core_loader(yaml):
    """YAML as opsrun and editors read it: the core schema of version 1.2. PyYAML by default reads version 1.1."""

    class Core(yaml.SafeLoader):
        """Scalars by the table below only: 'no' is a text, '<<' a key."""

    Core.yaml_implicit_resolvers = {}
    for tag, pattern, first in [
            ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
            ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
            ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
             list("-+0123456789."))]:
        Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(f"^(?:{pattern})$"), first)
    Core.add_constructor("tag:yaml.org,2002:int", lambda loader, node: whole_number(node.value))
    Core.add_constructor("tag:yaml.org,2002:binary", Core.construct_yaml_str)  # a schema sees it as a string
    return Core


def whole_number(text):
    base = {"0x": 16, "0o": 8}.get(text[:2], 10)
    return int(text, base)


def errors(validator, graph):
    """'place keyword' of each error, in order."""
    found = {"/".join(map(str, place(e))) + " " + (e.validator or "not allowed") for e in validator.iter_errors(graph)}
    return sorted(line.strip() for line in found)


def place(error):
    """The place of the error. For a key that is not allowed: its map, as in later versions of jsonschema."""
    path, schema = list(error.absolute_path), list(error.absolute_schema_path)
    return path[:-1] if error.validator is None and path and schema and path[-1] == schema[-1] else path


def findings(case, row, validators, loader, yaml):
    """The findings for one graph: a list, or None if it is not YAML."""
    try:
        content = yaml.load(case.text(row).decode("utf-8"), Loader=loader)
    except (yaml.YAMLError, UnicodeError, RecursionError):
        return None
    return errors(validators[case.one("plugins", "bundled")], content)


def takes_and_refuses(options, schemas):
    try:
        import jsonschema
        import yaml
    except ImportError as missing:
        print(f"skipped: {missing}; install python3-jsonschema and python3-yaml")
        return None
    validators = {}
    for name, schema in schemas.items():
        jsonschema.Draft7Validator.check_schema(json.loads(schema))
        validators[name] = jsonschema.Draft7Validator(json.loads(schema))
    loader = core_loader(yaml)
    ok = True
    lines = []
    for graph in options.graphs:
        in_examples = os.path.basename(os.path.dirname(graph)) == "examples"
        case = run_graph.Case(graph, options.examples if in_examples else options)
        status = case.one("exit", "0").split()[0]
        if case.all("command") or status not in "013":
            continue  # a message about something that is not in this graph
        found = [findings(case, row, validators, loader, yaml) for row in case.rows]
        if status == "3":
            words = ["no YAML" if each is None else ", ".join(each) or "nothing" for each in found]
            lines.append(f"{case.stem}: {'; '.join(words)}\n")
        elif any(found):
            ok = fail(f"{graph} is a good graph, but the schema finds: {found}")
    return compare(options, sorted(lines)) and ok


def compare(options, lines):
    if options.update:
        FINDINGS.write_text("".join(lines), encoding="utf-8")
    expected = FINDINGS.read_text(encoding="utf-8").splitlines(True)
    sys.stdout.writelines(difflib.unified_diff(expected, lines, "schema_findings.txt", "found now"))
    return expected == lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("graphs", nargs="+")
    options = parser.parse_args()
    options.expect = None
    options.examples = argparse.Namespace(**vars(options))
    options.examples.expect = FINDINGS.with_name("examples")
    bundled = call("schema").stdout
    tests = call("schema", "--plugins", built.TEST_PLUGINS).stdout
    ok = is_up_to_date(options, bundled)
    ok = has_the_keys(bundled) and ok
    compared = takes_and_refuses(options, {"bundled": bundled, "test": tests})
    if ok and compared is None:
        sys.exit(SKIPPED)
    sys.exit(0 if ok and compared else 1)


if __name__ == "__main__":
    main()
