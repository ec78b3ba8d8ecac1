"""pack_test.py: opsrun pack makes packages that the tools of others accept, and the same ones everywhere.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import os
import shutil
import tarfile
import unittest
import zipfile

import built
from in_folder import FolderTest

ZERO_OUT = built.BUNDLED / "zero_out.so"


class Pack(FolderTest):
    def pack(self, *words, code=0, **environment):
        done = self.opsrun("pack", *map(str, words), HOME=str(self.folder), **environment)
        if "built without libarchive" in done.stderr:
            self.skipTest("this opsrun was built without libarchive")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def files(self, folder):
        return {path.name: path.read_bytes() for path in (self.folder / folder).iterdir()}

    def test_packages_do_not_depend_on_time_place_or_user(self):
        self.pack(ZERO_OUT, "-o", "one/two")
        umask = os.umask(0o077)
        self.pack(ZERO_OUT, "-o", "other", TZ="America/New_York", USER="somebody")
        os.umask(umask)
        self.assertEqual(self.files("one/two"), self.files("other"))
        self.assertEqual(len(self.files("other")), 3)
        self.pack(ZERO_OUT, "--tar", "-o", "later", SOURCE_DATE_EPOCH="1700000000")
        (archive,) = (self.folder / "later").iterdir()
        with tarfile.open(archive) as members:
            self.assertEqual({(each.uname, each.uid, each.mtime) for each in members}, {("root", 0, 1700000000)})

    def test_the_archive_has_what_is_beside_the_plugin_and_runs(self):
        shutil.copy(built.TEST_PLUGINS / "columns.so", self.folder / "a,b c\n.so")
        self.assertIn("it has no version", self.pack("a,b c\n.so", code=2))
        shutil.copy(ZERO_OUT, self.folder / "a b\n.so")
        self.write("a b\n.opsrun.yaml", "opsrun_ops: 1\nops: {ZeroOut: {replace: [gradient], gradient: none}}\n")
        self.write("a b\n.so.minisig", "unchecked")
        self.pack("a b\n.so", "--tar", "-o", ".")
        with tarfile.open(self.folder / "opsrun-zero-out-0.1.0-x86_64.tar.gz" if os.uname().machine == "x86_64" else
                          next(self.folder.glob("*.tar.gz"))) as members:
            members.extractall(self.folder / "unpacked", filter="data")
        (place,) = (self.folder / "unpacked").glob("*/lib/opsrun")
        self.assertEqual(sorted(path.name for path in place.iterdir()), ["a_b_.opsrun.yaml", "a_b_.so", "a_b_.so.minisig"])
        listed = self.opsrun("inspect", str(place / "a_b_.so"))
        self.assertEqual(listed.returncode, 0, listed.stderr)

    @unittest.skipIf(shutil.which("dpkg-deb") is None, "there is no dpkg-deb")
    def test_dpkg_reads_the_deb(self):
        self.pack(ZERO_OUT, "--deb")
        (package,) = self.folder.glob("*.deb")
        fields = self.call("dpkg-deb", "--field", package).stdout
        for line in ("Package: opsrun-zero-out", "Version: 0.1.0", "Enhances: opsrun",
                     "Description: Zeros in all elements but the first",
                     " Plugin 'zero_out' for opsrun, level 1. License: Apache-2.0"):
            self.assertIn(line + "\n", fields)
        if not built.SANITIZED:
            self.assertRegex(fields, r"Depends: libc6 \(>= [\d.]+\), libgcc-s1, libstdc\+\+6\n")
        self.call("dpkg-deb", "--extract", package, "root")
        self.assertEqual((self.folder / "root/usr/lib/opsrun/zero_out.so").read_bytes(), ZERO_OUT.read_bytes())

    def test_the_wheel_has_the_digests_of_its_files(self):
        self.pack(ZERO_OUT, "--wheel")
        (path,) = self.folder.glob("opsrun_zero_out-0.1.0-py3-none-linux_*.whl")
        with zipfile.ZipFile(path) as wheel:
            self.assertIsNone(wheel.testzip())
            info = "opsrun_zero_out-0.1.0.dist-info/"
            lines = wheel.read(info + "RECORD").decode().splitlines()
            self.assertEqual(lines.pop(), info + "RECORD,,")
            self.assertEqual(sorted(line.split(",")[0] for line in lines), sorted(set(wheel.namelist()) - {info + "RECORD"}))
            for line in lines:
                name, digest, size = line.split(",")
                data = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
                self.assertEqual((digest, size), ("sha256=" + expected, str(len(data))))
            self.assertEqual(wheel.read(info + "entry_points.txt").decode(),
                             "[opsrun.plugins]\nopsrun_zero_out = opsrun_zero_out\n")
            self.assertIn("Name: opsrun-zero-out\nVersion: 0.1.0\n", wheel.read(info + "METADATA").decode())

    def test_what_is_refused_is_not_packed(self):
        self.assertIn("error[P102]", self.pack("missing.so", code=4))
        self.write("text.so", "text")
        self.assertIn("error[P103]", self.pack("text.so", code=4))
        for seconds in ("-1", "1x", "99999999999"):
            self.assertIn("error[U005]: SOURCE_DATE_EPOCH is not a number", self.pack(ZERO_OUT, code=2, SOURCE_DATE_EPOCH=seconds))
        self.assertIn("error[R504]: cannot write 'text.so/", self.pack(ZERO_OUT, "-o", "text.so", code=1))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["text.so"])


if __name__ == "__main__":
    unittest.main()
