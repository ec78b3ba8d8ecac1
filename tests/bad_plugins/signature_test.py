"""signature_test.py: opsrun keygen, sign and --require-signature, and minisign's own program where it is installed.

SPDX-License-Identifier: Apache-2.0
"""

import json
import shutil
import unittest

from built import BAD_PLUGINS, OPSRUN
from in_folder import FolderTest

MINISIGN = shutil.which("minisign")


class Signature(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "p/good.so"
        self.plugin.parent.mkdir()
        shutil.copy(BAD_PLUGINS / "good.so", self.plugin)
        done = self.opsrun("keygen", "--no-password", "mine")
        if "built without libsodium" in done.stderr:
            self.skipTest("this opsrun was built without libsodium")
        self.assertEqual(done.returncode, 0, done.stderr)

    def call_opsrun(self, *words, **environment):
        return self.opsrun(*words, XDG_CACHE_HOME=str(self.folder / "cache"), XDG_CONFIG_HOME=str(self.folder / "config"),
                           **environment)

    def sign(self, *words, key="mine.key"):
        done = self.call_opsrun("sign", "--key", key, "p/good.so", *words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def plugins(self, *words):
        done = self.call_opsrun("plugins", "--json", "--no-default-plugins", "--plugins", "p", *words)
        [plugin] = json.loads(done.stdout)
        return plugin

    def assert_refused(self, reason, key="mine.pub"):
        plugin = self.plugins("--require-signature", key)
        self.assertEqual(plugin["verdict"], "refused")
        [check] = [check for check in plugin["checks"] if check["state"] == "refused"]
        self.assertEqual(check["check"], "signature")
        self.assertIn(reason, check["found"])
        self.assertTrue(check["remedy"])

    def test_a_signed_plugin_is_used_and_its_signer_is_shown(self):
        self.sign("--comment", "good, version 1")
        listed = self.call_opsrun("plugins", "--no-default-plugins", "--plugins", "p", "--require-signature", "mine.pub").stdout
        key = self.key_id("mine.pub")
        self.assertIn(f"signed by key {key}: good, version 1\n", listed)
        plugin = self.plugins("--require-signature", "mine.pub")
        self.assertEqual(plugin["verdict"], "ok")
        self.assertEqual(plugin["signature"], {"key": key, "comment": "good, version 1", "checked": True})
        self.assertEqual(self.plugins()["signature"], {"key": key, "comment": "good, version 1", "checked": False})
        self.assertEqual((self.folder / "mine.key").stat().st_mode & 0o777, 0o600)

    def key_id(self, name):
        return (self.folder / name).read_text().split("\n")[0].split()[-1]

    def test_others_are_refused_before_any_code_runs(self):
        self.assert_refused("it is not signed")
        self.sign()
        self.opsrun("keygen", "--no-password", "other")
        self.assert_refused("which is not trusted", key="other.pub")
        signature = self.folder / "p/good.so.minisig"
        whole = signature.read_text()
        signature.write_text(whole.replace("timestamp", "timestamp "))
        self.assert_refused("the comment of its signature")
        signature.write_text(whole[:-40])
        self.assert_refused("is damaged: line 4")
        signature.write_text(whole)
        with open(self.plugin, "ab") as file:
            file.write(b"more")
        self.assert_refused("it is not the file that the key")
        self.assertFalse((self.folder / "cache").exists(), "nothing was probed")

    def test_a_graph_runs_only_with_the_signature(self):
        self.write("g.yaml", "opsrun: 1\nnodes:\n  a: {op: Good, in: []}\noutputs: []\n")
        words = ["check", "g.yaml", "--no-default-plugins", "--plugins", "p", "--require-signature", "mine.pub"]
        done = self.call_opsrun(*words)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("it is not signed", done.stderr)
        self.sign()
        self.assertNotIn("signed", self.call_opsrun(*words).stderr)

    def test_the_file_beside_a_plugin_is_signed_too(self):
        beside = self.write("p/good.opsrun.yaml", "opsrun_ops: 1\nops: {}\n")
        self.sign()
        words = ["inspect", "p/good.so", "--require-signature", "mine.pub"]
        self.assertNotIn("good.opsrun.yaml", self.call_opsrun(*words).stderr)
        beside.write_text("opsrun_ops: 1\nops: {}\n\n")
        self.assertIn("good.opsrun.yaml: it is not the file that the key", self.call_opsrun(*words).stderr)

    def test_keys_of_the_user_are_required_without_the_option(self):
        line = (self.folder / "mine.pub").read_text()
        keys = self.write("config/opsrun/trusted_keys", line)
        self.assertEqual(self.plugins()["verdict"], "refused")
        self.assertEqual(self.plugins("--allow-writable")["verdict"], "refused")
        self.sign()
        self.assertEqual(self.plugins()["verdict"], "ok")
        keys.write_text("no key\n")
        done = self.call_opsrun("plugins")
        self.assertEqual(done.returncode, 4)
        self.assertIn(f"error[P110]: '{keys}', line 1, is not a public key of minisign", done.stderr)

    def test_options_that_contradict_each_other(self):
        done = self.call_opsrun("plugins", "--allow-writable", "--require-signature", "mine.pub")
        self.assertIn("error[U004]", done.stderr)

    def test_sign_refuses_what_is_no_key(self):
        for key, reason in (("mine.pub", "line 2 has"), ("absent", "no such file"), ("p/good.so", "line 1 does not begin")):
            done = self.call_opsrun("sign", "--key", key, "p/good.so")
            self.assertEqual(done.returncode, 4)
            self.assertIn("error[P110]", done.stderr)
            self.assertIn(reason, done.stderr)
        self.assertEqual(self.call_opsrun("sign", "p/good.so").returncode, 2)
        self.assertEqual(self.call_opsrun("keygen", "mine").returncode, 1, "it exists")

    @unittest.skipUnless(MINISIGN, "minisign is not installed")
    def test_minisign_checks_what_opsrun_signs(self):
        self.sign("--comment", "c")
        done = self.call("minisign", "-V", "-p", "mine.pub", "-m", "p/good.so")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Trusted comment: c", done.stdout)

    @unittest.skipUnless(MINISIGN, "minisign is not installed")
    def test_minisign_signs_with_a_key_of_opsrun(self):
        done = self.call("minisign", "-S", "-s", "mine.key", "-m", "p/good.so", "-t", "by minisign")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.plugins("--require-signature", "mine.pub")["signature"]["comment"], "by minisign")

    @unittest.skipUnless(MINISIGN, "minisign is not installed")
    def test_opsrun_uses_keys_of_minisign(self):
        for name, words, password in (("open", ["-W"], ""), ("closed", [], "secret\n")):
            text = password * 2
            done = self.call("sh", "-c", 'printf "$TEXT" | minisign -G "$@"', "sh", "-p", f"{name}.pub", "-s", f"{name}.key", *words,
                             TEXT=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.call("sh", "-c", f'printf "$TEXT" | "$OPSRUN" sign --key {name}.key p/good.so', TEXT=password,
                             OPSRUN=str(OPSRUN))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.plugins("--require-signature", f"{name}.pub")["verdict"], "ok")
            self.assertEqual(self.call("minisign", "-V", "-p", f"{name}.pub", "-m", "p/good.so").returncode, 0)
        wrong = self.call("sh", "-c", 'echo wrong | "$OPSRUN" sign --key closed.key p/good.so', OPSRUN=str(OPSRUN))
        self.assertIn("the password is wrong", wrong.stderr)

