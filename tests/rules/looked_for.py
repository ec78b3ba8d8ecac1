"""looked_for.py: what the build, the scripts and the tests look for on the machine, as far as their text says it.

A thing is a kind and a name: "package GTest" (find_package), "target GTest::gmock" (of such a package), "component Development.Module" (of Python, likewise),
"header yaml.h", "library yaml", "generator Ninja", "program readelf", "module numpy" (of Python). A program is found where
its name is written at the place of a command: in a shell script, in find_program and shutil.which, in the list that
subprocess is given, also through a variable, a loop or a function of the same file. Paths and targets are no names.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import json
import os
import re
import sys

import tree

OWN = {"opsrun", "my_op", "my_ops"}
NAME = re.compile(r"[a-z][\w.+-]*$")
STARTS = {"run", "Popen", "call", "check_call", "check_output", "which"}


def everywhere(root):
    """{thing: ["path:line" that looks for it, ...]}, without what the project has itself."""
    found = {}
    paths = tree.files(root)
    own = OWN | {os.path.splitext(os.path.basename(path))[0] for path in paths
                 if path.endswith(".py") and f"{os.path.dirname(path)}/__init__.py" not in paths}
    for path in paths:
        for thing, line in of_file(root, path):
            if thing.split(" ", 1)[1] not in own:
                found.setdefault(thing, []).append(f"{path}:{line}")
    return found


def of_file(root, path):
    if os.path.basename(path) in ("CMakeLists.txt", "CMakePresets.json") or path.endswith((".cmake", ".cmake.in")):
        return of_cmake(tree.text(root, path))
    if path.endswith(".py"):
        return of_python(tree.text(root, path))
    if path.endswith(".sh") or tree.is_script(root, path):
        return of_shell(tree.text(root, path))
    if path.endswith((".cc", ".h")):
        return of_cpp(tree.text(root, path))
    return []


# ---- CMake

COMMENT = re.compile(r"(?m)(^|[ \t])#.*$")
CMAKE_CALL = re.compile(r"\bfind_(package|program|path|library)\(([^()]*)\)")
CMAKE_COMMAND = re.compile(r"\bCOMMAND +(sh|bash|python3) ")  # other words are targets
TARGET = re.compile(r"(?<=[ (])(\w+::\w+)(?=[ )\n])")
FIND_WORDS = re.compile(r"\b(HINTS|PATHS|PATH_SUFFIXES|REQUIRED|NO_DEFAULT_PATH|DOC|ENV)\b.*", re.S)
KINDS = {"package": "package", "program": "program", "path": "header", "library": "library"}


def of_cmake(text):
    if text.lstrip().startswith("{"):
        return [(f"generator {each['generator']}", 1) for each in json.loads(text)["configurePresets"] if "generator" in each]
    text = COMMENT.sub(r"\1", text)
    found = []
    for call in CMAKE_CALL.finditer(text):
        line = text.count("\n", 0, call.start()) + 1
        found += [(thing, line) for thing in things_of_call(*call.groups())]
    for kind, pattern in (("program", CMAKE_COMMAND), ("target", TARGET)):
        found += [(f"{kind} {match.group(1)}", text.count("\n", 0, match.start()) + 1) for match in pattern.finditer(text)]
    return found


def things_of_call(call, arguments):
    if call != "package":
        words = [word for word in FIND_WORDS.sub("", arguments).split()[1:] if word != "NAMES"]
        return [f"{KINDS[call]} {word}" for word in words]
    words = arguments.split()
    components = words[words.index("COMPONENTS") + 1:] if "COMPONENTS" in words else []
    of_python = ["module numpy" if each == "NumPy" else f"component {each}" for each in components if "$" not in each]
    return of_python or [f"package {words[0]}"]


# ---- C++

CPP_COMMAND = re.compile(r'\b(?:popen|system)\((?:fmt::format\()?"([a-z][\w.+-]*)|OutputOf\(fmt::format\("([a-z][\w.+-]*)')


def of_cpp(text):
    return [(f"program {match.group(1) or match.group(2)}", text.count("\n", 0, match.start()) + 1)
            for match in CPP_COMMAND.finditer(text)]


# ---- Python


def of_python(text):
    module = ast.parse(text)
    found = [(f"module {name}", node.lineno) for node in ast.walk(module) for name in imports_of(node)
             if name not in sys.stdlib_module_names]
    return found + [(f"program {name}", line) for name, line in Commands(module).all()]


def imports_of(node):
    if isinstance(node, ast.Import):
        return [alias.name.split(".")[0] for alias in node.names]
    return [node.module.split(".")[0]] if isinstance(node, ast.ImportFrom) and node.level == 0 else []


class Commands:
    """The names of the programs that a module starts or asks shutil.which for."""

    def __init__(self, module):
        self.scopes = [module] + [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
        self.calls = [(call, scope) for scope in self.scopes for call in nodes_of(scope) if isinstance(call, ast.Call)]

    def all(self):
        for call, scope in self.calls:
            if call.args and name_of(call.func) in STARTS and owner_of(call.func) in ("subprocess", "shutil"):
                for name in self.first_words(call.args[0], scope, set()):
                    yield name, call.lineno

    def first_words(self, node, scope, seen):
        """The strings that may be the first word of the command `node`."""
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) and NAME.match(node.value) else set()
        if isinstance(node, ast.Name) and (node.id, scope) not in seen:
            return self.of_name(node.id, scope, seen | {(node.id, scope)})
        if isinstance(node, (ast.List, ast.Tuple)):
            parts = node.elts[:1]
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        else:
            parts = [getattr(node, "value", None)] if isinstance(node, ast.Starred) else [getattr(node, "left", None)]
        return set().union(*(self.first_words(part, scope, seen) for part in parts if part is not None))

    def of_name(self, name, scope, seen):
        """By assignments and loops, and by the arguments of calls if it is a parameter."""
        nodes = list(nodes_of(scope)) + list(nodes_of(self.scopes[0]))
        values = [node.value for node in nodes if isinstance(node, ast.Assign) and name in map(name_of, node.targets)]
        for node in nodes:
            if isinstance(node, (ast.For, ast.comprehension)) and name_of(node.target) == name:
                values += getattr(node.iter, "elts", [])
        found = set().union(*(self.first_words(value, scope, seen) for value in values))
        place = place_of(scope, name)
        for call, caller in self.calls if place is not None else []:
            if name_of(call.func) == scope.name and len(call.args) > place:
                found |= self.first_words(call.args[place], caller, seen)
        return found


def nodes_of(scope):
    """The nodes of a module or a function, without those of the functions inside."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, ast.FunctionDef):
            yield from nodes_of(node)


def name_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def owner_of(function):
    return getattr(getattr(function, "value", None), "id", "")


def place_of(function, name):
    """Which argument of a call becomes the parameter `name`, or None."""
    if not isinstance(function, ast.FunctionDef):
        return None
    names = [each.arg for each in function.args.args + ([function.args.vararg] if function.args.vararg else [])]
    if name not in names:
        return None
    return names.index(name) - (names[0] == "self")


# ---- shell

OF_SHELL = set("""alias break case cd command continue declare do done echo elif else esac eval exec exit export false fi for function
 getopts if in local mapfile printf pwd read readarray return set shift source test then time trap true type ulimit umask unset
 until wait while""".split())
NOT_CODE = re.compile(r"\w+\+?=\([^()]*\)|\[\[ .*? \]\]|^[ \t]*[-\w*.| ]+\)", re.M)  # an array, a test, a pattern of `case`
COMMAND = re.compile(r"(?:^|[|&;(){}])\s*(?:(?:then|do|else|if|elif|while|until|exec|eval|env|!|command -v|\w+=[^\s(]*)\s+)*"
                     r"([a-z][\w.+-]*)(?=[\s;)]|$)", re.M)
FUNCTION = re.compile(r"(?m)^\s*(\w+)\(\) *[{(]")
MODULE = re.compile(r"python3?\"? +-m (\w+)")
DEFAULT_GENERATOR = re.compile(r"cmake\"? -S (?!.* -G )")


def of_shell(text):
    text = text.replace("\\\n", " \v")  # goes on in the next line
    code = code_of(text)
    functions = set(FUNCTION.findall(code))
    found = [(f"module {match.group(1)}", match.start()) for match in MODULE.finditer(text)]
    found += [("generator Unix Makefiles", match.start()) for match in DEFAULT_GENERATOR.finditer(text)]
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", "_", match.group()), code)
    found += [(f"program {match.group(1)}", match.start(1)) for match in COMMAND.finditer(code)
              if match.group(1) not in OF_SHELL | functions]
    return [(thing, len(re.findall(r"[\n\v]", text[:place])) + 1) for thing, place in found]


OPENS = {"'": "'", '"': '"', "$(": ")", "((": "))", "$((": "))", "${": "}", "#": "\n", "(": ")"}
PIECE = re.compile(r"\\.|\$\(\(|\(\(|\$\(|\$\{|(?<!\S)#|.", re.S)
CODE = ("", ")")
END_OF_ARITHMETIC = re.compile(r"\)\)|.", re.S)


def code_of(text):
    """The text with underscores in place of what is no command: texts in quotes, arithmetic, parameters, comments."""
    open_ends, code, at = [""], [], 0
    while at < len(text):
        end = open_ends[-1]
        piece = (END_OF_ARITHMETIC if end == "))" else PIECE).match(text, at).group()
        at += len(piece)
        if piece == end:
            open_ends.pop()
        elif piece in OPENS and (end in CODE or (end == '"' and piece.startswith("$"))):
            open_ends.append(OPENS[piece])
        is_code = end in CODE and (piece == end or open_ends[-1] in CODE)
        code.append(piece if is_code or piece in ("\n", "$(") else "_" * len(piece))
    return "".join(code)
