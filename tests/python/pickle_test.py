"""What joblib and multiprocessing carry from one process to another.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import multiprocessing
import pickle

import numpy as np
import pytest

import opsrun
from opsrun import _library


@opsrun.function
def double(x):
    return opsrun.ops.math_ops.add(x, x)


def again(value):
    return pickle.loads(pickle.dumps(value))


def test_ops_modules_results_graphs_and_functions():
    math = opsrun.ops.math_ops
    assert again(math) is math
    assert again(math.add)(1, 2) == 3
    unique = again(opsrun.ops.array_ops.unique([7, 7, 8]))
    assert unique.y.tolist() == [7, 8] and type(unique).__name__ == "Unique"
    assert again(double) is double
    x = np.float32([1, 2])
    double(x)
    assert next(iter(again(double.graph).run(x=x).values())).tolist() == [2, 4]


def test_another_plugin_of_that_name_is_refused():
    plugin, path, digest = _library._pickled(opsrun.ops.math_ops)
    with pytest.raises(opsrun.errors.NotFoundError, match="pickled from"):
        _library._module_again(plugin, path, digest[::-1])


def test_a_process_that_is_spawned():
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(opsrun.ops.math_ops.add, 1, 2).result() == 3
