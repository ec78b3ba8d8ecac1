"""examples/digits: trains, stores, and reads with the program.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import opsrun
from opsrun._program import prefix

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "digits" / "digits.py"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("digits")
    done = subprocess.run([sys.executable, SCRIPT, "--out", folder, "--picture", folder / "digits.svg"], text=True,
                          capture_output=True, check=True)
    return folder, done.stdout


def test_it_reads_what_it_has_not_seen(trained):
    folder, printed = trained
    share = re.search(r"([\d.]+)% of 360 images", printed)
    assert share is not None and float(share[1]) >= 95
    assert (folder / "digits.svg").read_text().count("<text") == 36


def test_the_program_finds_the_same(trained):
    folder, _ = trained
    text = (folder / "digits.yaml").read_text()
    assert "  probability: max\n" in text
    (folder / "saved.yaml").write_text(text.replace("  probability: max\n", "  probability: {from: max, npy: probability.npy}\n"))
    subprocess.run([os.path.join(prefix(), "bin", "opsrun"), "saved.yaml", "--feed", "image=unseen.npy", "--quiet"], cwd=folder,
                   check=True, capture_output=True)
    found = opsrun.Graph.load(folder / "digits.yaml").run(image=np.load(folder / "unseen.npy"))
    np.testing.assert_array_equal(np.load(folder / "probability.npy"), found["probability"])


def test_it_says_what_is_missing(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import importlib.util as u\nfind = u.find_spec\n"
                                               "u.find_spec = lambda name, *a: None if name == 'sklearn' else find(name, *a)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, SCRIPT, "--out", tmp_path], env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 1 and "pip install --no-deps scikit-learn" in done.stderr
