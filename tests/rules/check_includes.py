"""check_includes.py: who may include or import whom, where exceptions stop, and how a file begins.

usage: check_includes.py ROOT

SPDX-License-Identifier: Apache-2.0
"""

import ast
import re

import tree

# The rooms of host/, each with the rooms that it may include beside itself; in the order of the drawing, docs/house.svg.
ROOMS = {
    "base": set(),
    "threads": {"base"},
    "tensor": {"base"},
    "yaml": {"base"},
    "spec": {"base"},
    "examine": {"base"},
    "device": {"base", "tensor"},
    "graph": {"base", "tensor", "yaml"},
    "isolate": {"base", "tensor", "device"},
    "plugin": {"base", "spec", "examine", "yaml", "isolate"},
    "plan": {"base", "tensor", "spec", "examine", "device", "isolate", "plugin", "yaml", "graph"},
    "run": {"base", "tensor", "spec", "device", "isolate", "plugin", "graph", "plan", "threads"},
    "gradient": {"base", "tensor", "spec", "plugin", "yaml", "graph", "plan"},
    "show": {"base", "tensor", "spec", "examine", "plugin", "yaml", "graph", "plan"},
    "engine": {"base", "tensor", "spec", "examine", "yaml", "device", "isolate", "plugin", "graph", "plan", "threads", "run", "gradient"},
    "testing": {"base", "tensor", "spec", "examine", "yaml", "device", "plugin", "graph", "plan", "threads", "run", "engine"},
    "embed": {"base", "tensor", "spec", "examine", "yaml", "plugin", "graph", "plan", "gradient", "show", "run", "engine"},
    "cli": {"base", "tensor", "spec", "examine", "yaml", "device", "isolate", "plugin", "graph", "plan", "threads", "run", "gradient", "show",
            "engine"},
}

# The rooms that may see the contract. Of the SDK, host code sees nothing else.
CONTRACT = "opsrun/c_api.h"
CONTRACT_ROOMS = set(ROOMS) - {"threads", "tensor", "yaml", "graph"}
# But for the room that is behind the SDK's testing library, and its tests.
TESTING = "opsrun/testing"
# TensorFlow's and abseil's headers, and what is behind them: for sources of others alone.
COMPAT = ("opsrun_compat/", "opsrun_absl/", "absl/", "tensorflow/", "tsl/", "xla/", "third_party/")
# The host that tests of the SDK run on, behind headers without it.
BEHIND_TEST_HOST = r"tests/sdk/test_(host_impl\.h|(host|shape_call)\.cc)$"
# What other programs include, and the room behind it.
EMBED = "opsrun/embed"

# Packages with one door: what their headers look like, and the only files that may include them.
DOORS = {
    "libyaml": (r"yaml\.h", r"host/yaml/(libyaml\.h|value\.cc)"),
    "minizip": (r"minizip/", r"host/tensor/zip_archive\.cc"),
    "zlib": (r"zlib\.h", r"host/tensor/zip_archive\.cc"),
    "Eigen": (r"(Eigen|unsupported/Eigen)/", r"host/tensor/number_type\.cc|(?!host/).*"),
    "libsodium": (r"sodium\.h", r"host/examine/sodium\.cc"),
    "libarchive": (r"archive(_entry)?\.h", r"host/cli/archiver/main\.cc"),
    "libseccomp": (r"seccomp\.h", r"host/isolate/sandbox_calls\.cc"),
    "CLI11": (r"CLI/", r"host/cli/options\.cc"),
    "elfutils": (r"elfutils/|dwarf\.h", r"host/cli/unwinder/unwind\.cc"),
    "CUDA": (r"cuda|cublas|cudnn|cufft|cub/|thrust/|driver_types\.h",
             r"tests/cuda/toolkit_calls_test\.cc|tests/cuda/emulation/.*|sdk/include/opsrun/(internal/)?gpu_\w+\.h|.*\.cu\.cc"),
}

# Exceptions stop at the doors; main turns what is left, which is lack of memory, into an exit status.
MAY_CATCH = r"host/threads/thread_pool\.h|host/base/plugin_code\.h|host/embed/(objects\.h|include/opsrun/embed(_op|_values)?\.hpp)|host/cli/(guard/)?[a-z_]+\.cc"

# The headers of each adapter's framework.
ADAPTERS = {
    "common": r"$.",
    "jax": r"(xla|nanobind)/",
    "onnxruntime": r"onnxruntime_c_api\.h$",
    "pytorch": r"(torch/|Python\.h$)",
    "tensorflow": r"(tensorflow|absl|pybind11)/",
}

# The folders of the Python package, each with its modules in layers: a module imports only from layers before its own.
PYTHON = {
    "python/opsrun": [
        "_native _program _recent errors", "_engine _refuse _worker sysconfig", "_values", "_attrs _distribute _engines _indexing _tables graph",
        "_tensor _yaml", "_op_def",
        "_adapters _trace typing", "_compile", "_library", "ops", "_derive _device _function numpy", "_batch _gradients", "test", "__init__", "__main__"],
    "adapters/jax/opsrun/jax": ["_native", "_gradient", "_arrays", "_tangent", "_batch", "_call", "_prepared", "_library", "__init__"],
    "adapters/onnxruntime/opsrun/onnx": ["_native", "_register", "__init__"],
    "adapters/pytorch/opsrun/torch": ["_native", "_cuda _op _plain", "_fake _gradient", "_autograd _batch", "_library", "__init__"],
    "adapters/tensorflow/opsrun/tf": ["_native _tensor_attrs", "_definition", "_function _gradient", "_library", "__init__"],
}
# What adapters import from python/opsrun.
FOR_ADAPTERS = {"_adapters", "_library", "_native", "_op_def", "_recent", "_values", "errors"}

# The only file of the host that reads variables of the environment: secure_getenv ignores them in programs that have more
# rights than their user.
ENVIRONMENT = "host/base/environment.h"

STANDARD = r"[a-z_0-9]+(\.h)?$"
EIGEN = r"(Eigen|unsupported/Eigen)/"

INCLUDE = re.compile(r'^\s*#\s*include(_next)?\s*([<"])([^>"]+)[>"]', re.M)
TALK = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)  # strings and comments


def includes(source):
    """(line, header, quoted) for each #include."""
    for match in INCLUDE.finditer(source):
        yield source.count("\n", 0, match.start(3)) + 1, match.group(3), match.group(2) == '"'


def host_allows(room, header):
    if header.startswith("host/"):
        other = header.split("/")[1]
        return other == room or other in ROOMS[room]
    if header.startswith(TESTING):
        return room == "testing"
    if header.startswith(EMBED):
        return room == "embed"
    if header.startswith(("opsrun/", *COMPAT)):
        return header == CONTRACT and room in CONTRACT_ROOMS
    return True


def sdk_allows(path, header):
    if path.endswith("/" + CONTRACT):
        return header in ("stdint.h", "stddef.h")
    return not header.startswith("host/")


def plugin_allows(path, header, quoted):
    own = quoted and "/" not in header
    cuda = path.endswith(".cu.cc")
    test = path.endswith(("_test.cc", "_test.h")) and header.startswith("gtest/")
    return own or header.startswith("opsrun/") or cuda or test or bool(re.match(f"{STANDARD}|{EIGEN}", header))


def adapter_allows(adapter, header, quoted):
    own = quoted and "/" not in header or header.startswith("adapters/common/")
    embed = header in (EMBED + ".h", EMBED + "_host.h")
    return own or embed or bool(re.match(f"{STANDARD}|{ADAPTERS.get(adapter, '$.')}", header))


def include_problem(path, header, quoted):
    """What is wrong with this #include, or None."""
    parts = path.split("/")
    for package, (headers, door) in DOORS.items():
        if re.match(headers, header) and not re.fullmatch(door, path):
            return f"{package} has one door, and it is not this file"
    if parts[0] == "host":
        room = parts[1]
        if room not in ROOMS:
            return f"host/{room} is no room of the table in check_includes.py"
        if not host_allows(room, header):
            return f"host/{room} may not include this"
    elif parts[0] == "sdk" and not sdk_allows(path, header):
        return "the contract includes stdint and stddef only" if path.endswith(CONTRACT) else "the SDK knows no host"
    elif parts[0] == "plugins" and not plugin_allows(path, header, quoted):
        return "a plugin includes opsrun/, Eigen, the standard library and its own headers"
    elif parts[0] == "adapters" and not adapter_allows(parts[1], header, quoted):
        return "an adapter includes its own headers, adapters/common, opsrun/embed_host.h, its framework and the standard library"
    elif path.startswith("tests/sdk/") and header.startswith("host/") and not re.match(BEHIND_TEST_HOST, path):
        return "tests of the SDK know no host"
    elif path.startswith("tests/host/testing/") and (header.startswith(TESTING) or "/ops/" in path):
        return None  # ops/ is the plugin that they test
    elif path.startswith("tests/host/embed/") and header.startswith(EMBED):
        return None
    elif path.startswith("tests/host/") and header.startswith(("opsrun/", "tensorflow/")) and header != CONTRACT:
        return "tests of the host know the contract, and nothing else of the SDK"
    return None


def package_of(folder):
    """adapters/jax/opsrun/jax holds opsrun.jax."""
    return folder[folder.index("/opsrun") + 1:].replace("/", ".")


def imports(source):
    """(line, module, whether it is inside a function) for each import of opsrun, also under TYPE_CHECKING."""
    parsed = ast.parse(source)
    functions = [each for each in ast.walk(parsed) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    inside = {id(each) for function in functions for each in ast.walk(function)}
    packages = {package_of(folder) for folder in PYTHON}
    for node in ast.walk(parsed):
        names = [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
        if isinstance(node, ast.ImportFrom):
            module = "opsrun" if node.level else node.module
            names = [f"{module}.{name}" for name in names] if module in packages else [module]
        yield from ((node.lineno, name, id(node) in inside) for name in names if f"{name}.".startswith("opsrun."))


def import_problems(path, source):
    """Imports that do not go one way."""
    folder, _, leaf = path.rpartition("/")
    package = package_of(folder)
    layer_of = {name: i for i, names in enumerate(PYTHON.get(folder, [])) for name in names.split()}
    own = layer_of.get(leaf.partition(".")[0])
    if own is None:
        yield f"{path}:1: this module is not in the table of check_includes.py"
        return
    for line, module, is_inside in imports(source):
        if is_inside:
            yield f"{path}:{line}: import {module}: inside a function, where it may close a circle"
        elif f"{module}.".startswith(f"{package}."):
            name = module[len(package) + 1:].partition(".")[0] or "__init__"
            if layer_of.get(name, own) >= own:
                yield f"{path}:{line}: import {module}: only modules of layers before its own may be imported"
        elif module.partition(".")[2] not in FOR_ADAPTERS:
            yield f"{path}:{line}: import {module}: an adapter may not import this"


def head_problems(path, source):
    """The first lines of a header."""
    if not re.search(r"(?m)^\W*SPDX-License-Identifier: Apache-2\.0", source):
        yield f"{path}:1: no line with SPDX-License-Identifier: Apache-2.0"
    if is_forwarder(source):
        return
    lines = source.split("\n")
    if path.endswith(("/" + CONTRACT, "/" + EMBED + ".h", "/" + EMBED + "_host.h")):
        ok = lines[0].startswith(("/* opsrun/c_api.h: ", "/* opsrun/embed.h: ", "/* opsrun/embed_host.h: "))
    else:
        ok = re.match(r"// " + re.escape(path) + r": \S", lines[0]) or named_from_sdk(path, lines[0])
    if not ok:
        yield f"{path}:1: a header begins with '// {path}: what this file is.'"
    if "#pragma once" not in source and not re.search(r"#ifndef (\w+)\n#define \1\n", source):
        yield f"{path}:1: neither #pragma once nor an include guard"


def is_forwarder(source):
    """Nothing but includes: another name for other headers."""
    lines = [line for line in TALK.sub("", source).split("\n") if line.strip()]
    return "#include" in source and all(re.match(r"\s*#\s*(include|pragma once)", line) for line in lines)


def named_from_sdk(path, line):
    """Headers of the SDK are called what a plugin includes them as."""
    for folder in ("sdk/include/", "compat/", "host/embed/include/"):
        if path.startswith(folder):
            return re.match(r"// " + re.escape(path[len(folder):]) + r": \S", line)
    return None


def is_header(path):
    # What other people's sources include without a suffix (unsupported/Eigen/CXX11/Tensor) is a header too.
    return path.endswith((".h", ".hpp")) or path.startswith("sdk/include/")


def check(root):
    problems = []
    for path in tree.files(root):
        if re.match(r"(python|adapters/\w+)/opsrun/", path) and path.endswith((".py", ".pyi")):
            problems.extend(import_problems(path, tree.text(root, path)))
        if not (path.endswith((".cc", ".c")) or is_header(path)):
            continue
        source = tree.text(root, path)
        for line, header, quoted in includes(source):
            problem = include_problem(path, header, quoted)
            if problem:
                problems.append(f"{path}:{line}: #include {header}: {problem}")
        if is_header(path):
            problems.extend(head_problems(path, source))
        code = TALK.sub("", source).replace("throw std::bad_alloc()", "")
        if path.startswith("host/") and re.search(r"\b(catch|try|throw)\b", code) and not re.fullmatch(MAY_CATCH, path):
            problems.append(f"{path}:1: exceptions stop at the doors of packages; this file is none")
        if path.startswith("host/") and path != ENVIRONMENT and re.search(r"\b(secure_)?getenv\b", code):
            problems.append(f"{path}:1: the environment has one door, Environment() of {ENVIRONMENT}")
        if path.startswith(("sdk/", "plugins/")) and re.search(r"\bgetenv\b", code):
            problems.append(f"{path}:1: getenv: secure_getenv, because a program may have more rights than its user")
    return problems


if __name__ == "__main__":
    tree.main(check)
