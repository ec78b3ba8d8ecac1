"""includes_test.py: what check_includes.py accepts and what it reports, and the drawing of its table by check_tour.py.

SPDX-License-Identifier: Apache-2.0
"""

import check_includes
import check_tour
from check_includes import check
from small_tree import SmallTree

HEAD = "// {}: a header.\n// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
CONTRACT = "/* opsrun/c_api.h: it.\n * SPDX-License-Identifier: Apache-2.0 */\n#pragma once\n"


class Includes(SmallTree):
    def assert_accepts(self, **files):
        for path, content in files.items():
            self.write(path, content)
        self.assertEqual(check(self.root), [])

    def test_accepts_what_the_table_allows(self):
        self.assert_accepts(**{
            "host/graph/a.cc": '#include "host/base/status.h"\n#include "host/tensor/tensor.h"\n',
            "host/cli/options.cc": "#include <CLI/CLI.hpp>\nvoid F() { try { } catch (...) { } }\n",
            "plugins/a/a.cc": '#include "opsrun/op.h"\n#include "a.h"\n#include <vector>\n',
            "host/testing/a.cc": '#include "opsrun/testing/array.h"\n#include "host/run/lane.h"\n',
            "tests/host/testing/a_test.cc": '#include "opsrun/testing.h"\n',
            "tests/host/testing/ops/ops.cc": '#include "opsrun/op.h"\n',
            "plugins/a/a_test.cc": '#include "opsrun/testing.h"\n#include <gtest/gtest.h>\n',
            "adapters/jax/native/a.cc": '#include "a.h"\n#include "adapters/common/engine.h"\n#include "opsrun/embed_host.h"\n'
                                        '#include <nanobind/nanobind.h>\n#include <vector>\n'})

    def test_refuses_other_includes(self):
        adapter = "adapters/jax/native/a.cc"
        own = "an adapter includes its own headers"
        self.assert_refuses(check, *((path, f"\n#include {header}\n", f"{path}:2", reason) for path, header, reason in (
            ("host/base/a.cc", '"host/graph/graph.h"', "host/base may not"),
            ("host/graph/a.cc", '"host/plugin/plugin.h"', "host/graph may not"),
            ("host/graph/a.cc", '"opsrun/c_api.h"', "host/graph may not"),
            ("host/plan/a.cc", '"opsrun/op_kernel.h"', "host/plan may not"),
            ("host/cli/a.cc", '"opsrun/testing/array.h"', "host/cli may not"),
            ("host/common/a.cc", "<vector>", "no room of the table"),
            ("host/graph/read_graph.cc", "<yaml.h>", "libyaml has one door"),
            ("host/cli/a.cc", "<CLI/CLI.hpp>", "CLI11 has one door"),
            ("plugins/a/a.cc", "<cuda_runtime.h>", "CUDA has one door"),
            ("plugins/a/a.cc", '"host/base/status.h"', "a plugin includes"),
            ("plugins/a/a_test.cc", '"tests/sdk/test_host.h"', "a plugin includes opsrun/"),
            ("sdk/tests.cc", '"host/base/status.h"', "the SDK knows no host"),
            ("tests/sdk/a_test.cc", '"host/base/status.h"', "know no host"),
            ("tests/sdk/test_host_impl.cc", '"host/base/status.h"', "know no host"),
            ("tests/host/plan/a_test.cc", '"opsrun/op.h"', "know the contract"),
            *((adapter, header, own) for header in ('"host/base/status.h"', '"opsrun/op.h"', '"adapters/pytorch/native/op.h"',
                                                    "<torch/library.h>", '"../a.h"')),
            ("adapters/common/a.cc", "<torch/library.h>", own))))

    def test_refuses_more_than_two_includes_in_the_contract(self):
        path = "sdk/include/opsrun/c_api.h"
        self.assert_refuses(check, (path, CONTRACT + "#include <string.h>\n", f"{path}:4", "stdint and stddef only"))

    def test_variables_of_the_environment_have_one_door(self):
        door = check_includes.ENVIRONMENT
        self.assert_accepts(**{door: HEAD.format(door) + "auto a = secure_getenv(b);\n", "sdk/a.cc": "auto a = secure_getenv(b);\n",
                               "host/base/a.cc": "// getenv\nauto a = Environment(b);\n"})
        self.assert_refuses(check, ("host/cli/a.cc", "auto a = std::getenv(b);\n", "host/cli/a.cc:1", "one door"),
                            ("host/cli/a.cc", "auto a = secure_getenv(b);\n", "host/cli/a.cc:1", "one door"),
                            ("plugins/a/a.cc", "auto a = std::getenv(b);\n", "plugins/a/a.cc:1", "secure_getenv"))

    def test_refuses_exceptions_inside(self):
        self.assert_accepts(**{"host/run/b.cc": '// try this\nconst char* k = "throw";\n'})
        self.assert_refuses(check, ("host/run/a.cc", "void F() {\n  try { G(); } catch (...) { }\n}\n", "exceptions stop"))

    def test_refuses_headers_that_begin_otherwise(self):
        self.assert_accepts(**{"compat/opsrun_compat/a.h": '// SPDX-License-Identifier: Apache-2.0\n#include "opsrun/a.h"\n'})
        self.assert_refuses(
            check, ("host/base/a.h", HEAD.format("host/base/b.h"), "host/base/a.h:1", "begins with '// host/base/a.h:"),
            ("host/base/a.h", "// host/base/a.h: a header.\n#pragma once\n", "SPDX"),
            ("sdk/include/opsrun/a.h", HEAD.format("opsrun/a.h").replace("#pragma once\n", ""), "guard"))


class Imports(SmallTree):
    def test_accepts_what_the_layers_allow(self):
        self.write("python/opsrun/ops.py", "import json\nfrom opsrun import _native, _library\nfrom opsrun._engine import engine\n")
        self.write("adapters/jax/opsrun/jax/_prepared.py", "from opsrun import _values\nfrom opsrun.jax._call import Call\nimport jax\n")
        self.assertEqual(check(self.root), [])

    def test_refuses_imports_of_the_same_layer_and_of_later_ones(self):
        self.assert_refuses(check, *(("python/opsrun/_trace.py", code + "\n", "only modules of layers before its own") for code in (
            "from opsrun import ops", "from opsrun._function import Function", "import opsrun._trace", "from opsrun import Tensor",
            "import opsrun", "from . import ops", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from opsrun import ops")))
        self.assert_refuses(check, ("adapters/jax/opsrun/jax/_call.py", "from opsrun.jax import _prepared\n",
                                    "only modules of layers before its own"))

    def test_refuses_imports_inside_functions(self):
        self.assert_refuses(check, ("python/opsrun/ops.py", "def f():\n    import json\n    from opsrun import _library\n", ":3",
                                    "inside a function"))

    def test_refuses_modules_that_are_not_in_the_table(self):
        self.assert_refuses(check, *((path, "", "this module is not in the table of check_includes.py") for path in (
            "python/opsrun/_common.py", "adapters/mxnet/opsrun/mxnet/__init__.py")))

    def test_adapters_know_little_of_the_package_and_nothing_of_each_other(self):
        self.assert_refuses(check, *(("adapters/jax/opsrun/jax/_prepared.py", code + "\n", "an adapter may not import this") for code in (
            "from opsrun import ops", "from opsrun._trace import Trace", "from opsrun.torch import _fake", "import opsrun")))


HOUSE = {"base": set(), "left": {"base"}, "right": {"base"}, "roof": {"base", "left"}}


class Tour(SmallTree):
    def test_each_room_stands_above_what_it_includes(self):
        self.assertEqual(check_tour.floors(HOUSE), [["base"], ["left", "right"], ["roof"]])

    def test_a_circle_has_no_floor(self):
        with self.assertRaisesRegex(ValueError, "left.*roof"):
            check_tour.floors({**HOUSE, "left": {"roof"}})

    def test_arrows_leave_out_what_others_lead_to(self):
        self.assertEqual(check_tour.arrows(HOUSE), [("left", "base"), ("right", "base"), ("roof", "left")])

    def test_what_is_out_of_date_is_found_and_written(self):
        self.write("room/a.cc", "x\n\n" * 1000)
        self.write(check_tour.DRAWING, check_tour.drawing(check_includes.ROOMS))
        self.write(check_tour.TOUR, "\n`room`, 1,100 lines, and `room`,\n1,300 lines\n")
        self.assert_finds(check_tour.check, "docs/tour.md:2: room has 1,000 lines, not 1,300")
        self.write(check_tour.DRAWING, check_tour.drawing(HOUSE))
        self.assertEqual(len(check_tour.check(self.root)), 2)
        self.assertEqual(check_tour.check(self.root, write=True), [])
        self.assertEqual(self.read(check_tour.TOUR), "\n`room`, 1,000 lines, and `room`,\n1,000 lines\n")
