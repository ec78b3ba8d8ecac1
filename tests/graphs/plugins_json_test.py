"""plugins_json_test.py: the JSON output about plugins agrees with the text output.

SPDX-License-Identifier: Apache-2.0
"""

import json

from built import BAD_PLUGINS
from in_folder import FolderTest


class PluginsJson(FolderTest):
    def test_every_plugin_has_the_verdict_of_the_table(self):
        places = ["--no-default-plugins", "--plugins", BAD_PLUGINS]
        plugins = json.loads(self.opsrun("plugins", "--json", *places).stdout)
        rows = [line for line in self.opsrun("plugins", *places).stdout.splitlines() if not line.startswith(" ")]
        self.assertEqual([(each["verdict"], each["file"]) for each in plugins],
                         [(row.split()[0], row[row.index("/"):]) for row in rows])
        self.assertEqual({each["verdict"] for each in plugins}, {"ok", "refused"})
        for each in plugins:
            refused = [check for check in each["checks"] if check["state"] == "refused"]
            self.assertEqual(each["verdict"] == "refused", len(refused) == 1, each["file"])
            self.assertTrue(all(check["remedy"] for check in refused))

    def test_inspect_says_the_same_of_one_file(self):
        file = str(BAD_PLUGINS / "named.so")
        [plugin] = json.loads(self.opsrun("inspect", "--no-probe", "--json", file).stdout)
        self.assertEqual((plugin["name"], plugin["version"]), ("acme.images", "1.4.0"))
        self.assertEqual(plugin["ops"], ["Good", "Other"])
        self.assertEqual(plugin["kernels"][0]["device"], "CPU")
        self.assertEqual(plugin["units"][0]["min_level"], 1)
        [probed] = json.loads(self.opsrun("inspect", "--json", file).stdout)
        self.assertEqual((plugin["verdict"], probed["verdict"]), ("compatible", "ok"))
        self.assertEqual(probed["checks"][-1]["check"], "probe")
