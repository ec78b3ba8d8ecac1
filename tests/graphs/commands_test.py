"""commands_test.py: commands about plugins, completions, and where each kind of output goes.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import shutil
import subprocess
import unittest

import built
from in_folder import FolderTest

ZERO_OUT = os.path.join(built.BUILD, "lib/opsrun/zero_out.so")


class Install(FolderTest):
    def run_it(self, *words):
        done = self.opsrun(*words, HOME=str(self.folder))
        return done.returncode, done.stderr

    def make_library(self, name):
        subprocess.run(["cc", "-shared", "-x", "c", "/dev/null", "-o", self.folder / name], check=True)

    def files(self):
        return sorted(path.name for path in (self.folder / ".local/lib/opsrun").iterdir())

    def test_a_plugin_is_copied_to_a_new_folder_and_its_version_before_is_kept(self):
        self.assertEqual(self.run_it("install", ZERO_OUT)[0], 0)
        self.assertEqual(self.files(), ["zero_out.so"])
        shutil.copy(ZERO_OUT, self.folder / "newer.so")
        code, said = self.run_it("install", "newer.so")
        self.assertEqual((code, self.files()), (0, [".zero_out.previous", "newer.so"]), said)
        self.assertIn("zero_out", self.opsrun("ops", "zero", HOME=str(self.folder)).stdout)
        self.assertEqual(self.run_it("uninstall", "zero_out", "--restore")[0], 0)
        self.assertEqual(self.files(), [".zero_out.previous", "newer.so"])
        self.assertEqual(self.run_it("uninstall", "zero_out")[0], 0)
        self.assertEqual(self.files(), [".zero_out.previous"])
        self.assertEqual(self.run_it("uninstall", "zero_out")[0], 4)
        self.assertEqual(self.run_it("uninstall", "zero_out", "--restore")[0], 0)
        self.assertEqual(self.files(), ["zero_out.so"])

    def test_the_file_beside_a_plugin_goes_where_the_plugin_goes(self):
        columns = os.path.join(built.TEST_PLUGINS, "columns.so")
        shutil.copy(columns, self.folder)
        self.write("columns.opsrun.yaml", "opsrun_ops: 1\nops: {CutColumns: {gradient: none}}\n")
        self.assertEqual(self.run_it("install", "columns.so")[0], 0)
        self.assertEqual(self.files(), ["columns.opsrun.yaml", "columns.so"])
        installed = self.folder / ".local/lib/opsrun/columns.opsrun.yaml"
        self.assertEqual(installed.read_bytes(), (self.folder / "columns.opsrun.yaml").read_bytes())
        os.remove(self.folder / "columns.opsrun.yaml")
        self.assertEqual(self.run_it("install", "columns.so")[0], 0)
        self.assertEqual(self.files(), [".columns.previous", ".columns.previous.opsrun.yaml", "columns.so"])
        self.assertEqual(self.run_it("uninstall", "columns", "--restore")[0], 0)
        self.assertEqual(self.files(), [".columns.previous", "columns.opsrun.yaml", "columns.so"])
        self.assertEqual(self.run_it("uninstall", "columns")[0], 0)
        self.assertEqual(self.files(), [".columns.previous", ".columns.previous.opsrun.yaml"])

    def test_an_error_in_the_file_beside_a_plugin_is_found_before_it_is_copied(self):
        shutil.copy(os.path.join(built.TEST_PLUGINS, "columns.so"), self.folder)
        self.write("columns.opsrun.yaml", "opsrun_ops: 1\nops: {Cut: {gradient: none}}\n")
        code, said = self.run_it("install", "columns.so")
        self.assertEqual(code, 4)
        self.assertIn("columns.opsrun.yaml:2:7", said)
        self.assertFalse((self.folder / ".local").exists())

    def test_a_file_of_another_ending_gets_the_name_of_its_plugin(self):
        shutil.copy(ZERO_OUT, self.folder / "zero.so.2")
        self.assertEqual(self.run_it("install", "zero.so.2")[0], 0)
        self.assertEqual(self.files(), ["zero_out.so"])

    def test_a_link_is_replaced_and_not_what_it_leads_to(self):
        shutil.copy(ZERO_OUT, self.folder / "elsewhere.so")
        (self.folder / "plugins").mkdir()
        (self.folder / "plugins/zero_out.so").symlink_to("../elsewhere.so")
        before = os.stat(self.folder / "elsewhere.so").st_ino
        self.assertEqual(self.run_it("install", ZERO_OUT, "--to", "plugins")[0], 0)
        self.assertEqual(os.stat(self.folder / "elsewhere.so").st_ino, before)
        self.assertFalse((self.folder / "plugins/zero_out.so").is_symlink())

    def test_what_is_refused_changes_nothing(self):
        self.write("wrong.so", "no library")
        self.assertEqual(self.run_it("install", ZERO_OUT, "wrong.so")[0], 4)
        self.assertFalse((self.folder / ".local").exists())
        self.assertEqual(self.run_it("install", ZERO_OUT, "--to", "/proc/nowhere")[0], 1)
        (self.folder / "plugins").mkdir()
        self.make_library("plugins/zero_out.so")
        before = (self.folder / "plugins/zero_out.so").read_bytes()
        self.assertEqual(self.run_it("install", ZERO_OUT, "--to", "plugins")[0], 1)
        self.assertEqual((self.folder / "plugins/zero_out.so").read_bytes(), before)

    def test_a_health_check_names_files_that_are_no_plugins(self):
        self.assertEqual(self.run_it("install", ZERO_OUT, "--to", "plugins")[0], 0)
        words = ("plugins", "--strict", "--no-default-plugins", "--plugins", "plugins")
        self.assertEqual(self.run_it(*words)[0], 0)
        self.make_library("plugins/other.so")
        code, said = self.run_it(*words)
        self.assertEqual(code, 1)
        self.assertIn("plugins/other.so is not an opsrun plugin", said)

    def test_two_files_of_one_plugin_are_named(self):
        for name in ("one.so", "two.so"):
            shutil.copy(ZERO_OUT, self.folder / name)
        code, said = self.run_it("gradcheck", "one.so")
        self.assertEqual(code, 4)
        self.assertRegex(said, "plugin.*zero_out|op 'ZeroOut' is in .*two.so as well")


class Ops(FolderTest):
    def test_a_part_of_a_name_or_a_plugin_finds_ops(self):
        rows = json.loads(self.opsrun("ops", "zero", "--json").stdout)
        self.assertEqual([(row["op"], row["plugin"]) for row in rows],
                         [("ZerosLike", "array_ops"), ("ZeroOut", "zero_out")])
        self.assertEqual(rows[1]["summary"], "Sets every element of a tensor but one to zero.")
        for words in (("ops", "zero_out"), ("explain", "zero_out")):
            self.assertIn("ZeroOut  cpu  Sets every", self.opsrun(*words).stdout)
        for words in (("ops", "Zzz*"), ("explain", "Nope"), ("explain", "ZeroOut.nope")):
            self.assertEqual(self.opsrun(*words).returncode, 2, words)


class Output(FolderTest):
    GRAPH = "opsrun: 1\nfeeds: {x: {value: 7, dtype: int32}}\nnodes: {y: {op: TestPrintf, in: x}}\noutputs: [y]\n"

    def run_it(self, *words):
        self.write("g.yaml", self.GRAPH)
        done = self.opsrun("run", "g.yaml", "--plugins", str(built.TEST_PLUGINS), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_what_a_plugin_prints_is_no_result(self):
        done = self.run_it()
        self.assertEqual(done.stdout, "y  int32 []\n7\n")
        self.assertIn("printed by a plugin\n", done.stderr)
        self.assertIn("info: logged by a plugin (test_ops.cc:", done.stderr)
        self.assertIn("warning: node 'y' (g.yaml:3:17): warned by a plugin (test_ops.cc:", done.stderr)

    def test_levels_of_the_log_are_for_macros_too(self):
        for words in (("-q",), ("--log-level", "warning")):
            self.assertNotIn("logged", self.run_it(*words).stderr)

    def test_results_as_json(self):
        graph = self.write("g.yaml", """opsrun: 1
feeds:
  f: {value: [.nan, 0.1], dtype: float32}
  c: {value: 1+2j, dtype: complex64}
  s: {value: [a], dtype: string}
  b: {value: [[true, false]], dtype: bool}
  n: {value: 18446744073709551615, dtype: uint64}
outputs: [f, c, s, b, n]
""")
        done = self.opsrun("run", str(graph), "--json", "--output", "n=n.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual((document["runs"], document["nodes"], document["checks"]), (1, 0, 0))
        self.assertEqual([output["values"] for output in document["outputs"]],
                         [[".nan", 0.1], ["1+2j"], ["a"], [True, False], None])
        self.assertEqual(document["outputs"][4], {"name": "n", "dtype": "uint64", "shape": [], "values": None,
                                                  "file": "n.npy"})
        self.assertEqual(self.opsrun("run", str(graph), "--json", "--print-every", "2").returncode, 2)

    def test_an_output_can_be_written_to_a_file(self):
        self.assertEqual(self.run_it("--output", "y=y.npy").stdout, "")
        done = self.opsrun("run", "g.yaml", "--plugins", str(built.TEST_PLUGINS), "--output", "y=z.npy", "--trace", "z.npy")
        self.assertEqual(done.returncode, 2)
        written = self.call("sh", "-c", f"{built.OPSRUN} run g.yaml --plugins {built.TEST_PLUGINS} --output y=/dev/stdout",
                            text=False)
        self.assertEqual(written.stdout, (self.folder / "y.npy").read_bytes())
        done = self.opsrun("run", "g.yaml", "--plugins", str(built.TEST_PLUGINS), "--output", "z=y.npy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("outputs: y", done.stderr)


class Completion(FolderTest):
    def complete(self, *words):
        script = f"""source <("{built.OPSRUN}" completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _opsrun; printf '%s\\n' "${{COMPREPLY[@]}}" """
        return set(self.call("bash", "-c", script, "bash", *words).stdout.split())

    def test_bash_completes_commands_options_values_and_files(self):
        self.write("graph.yaml", "")
        self.assertEqual(self.complete("opsrun", "che"), {"check"})
        self.assertEqual(self.complete("opsrun", "check", "--sha"), {"--shapes"})
        self.assertEqual(self.complete("opsrun", "run", "--color", "a"), {"auto", "always"})
        self.assertEqual(self.complete("opsrun", "run", "gra"), {"graph.yaml"})
        self.assertEqual(self.complete("opsrun", "completion", "f"), {"fish"})

    def test_other_shells_can_read_theirs(self):
        for shell in ("zsh", "fish"):
            path = self.write(shell, self.opsrun("completion", shell).stdout)
            self.assertGreater(path.stat().st_size, 5000)
            if shutil.which(shell):
                self.assertEqual(self.call(shell, "-n", str(path)).stderr, "")


if __name__ == "__main__":
    unittest.main()
