"""Objects that ops share: tables and variables.

SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import pytest

import opsrun
from opsrun.ops import array_ops, hash_table, math_ops


@pytest.fixture
def table():
    table = hash_table.hash_table(key_dtype="int64", value_dtype="float32")
    assert hash_table.lookup_table_insert(table, np.int64([1, 2]), [0.5, 1.5]) is None
    return table


def test_a_table_keeps_what_calls_put_in(table):
    np.testing.assert_array_equal(hash_table.lookup_table_find(table, np.int64([2, 9]), np.float32(-1)), [1.5, -1])
    assert hash_table.lookup_table_size(table_handle=table) == 2
    assert repr(table).startswith("<opsrun.Handle HashTable 'hash_table_of_python_")


def test_each_table_is_its_own(table):
    other = hash_table.hash_table(key_dtype="int64", value_dtype="float32")
    assert hash_table.lookup_table_size(other) == 0
    named = hash_table.hash_table(key_dtype="int64", value_dtype="float32", shared_name="ours")
    same = hash_table.hash_table(key_dtype="int64", value_dtype="float32", shared_name="ours")
    hash_table.lookup_table_insert(named, np.int64([5]), [2.0])
    assert hash_table.lookup_table_size(same) == 1


def test_traced_functions_use_tables_in_the_order_of_the_function(table):
    @opsrun.function
    def replace(keys, values):
        before = hash_table.lookup_table_find(table, keys, np.float32(0))
        hash_table.lookup_table_insert(table, keys, values)
        return before, hash_table.lookup_table_find(table, keys, np.float32(0))

    for _ in range(20):
        hash_table.lookup_table_insert(table, np.int64([1]), [0.5])
        before, after = replace(np.int64([1]), np.float32([7]))
        assert (before, after) == (0.5, 7)
    assert replace.graph.to_yaml().count("after: ") == 2


def test_a_function_may_do_nothing_but_change_a_table(table):
    @opsrun.function
    def put(keys, values):
        hash_table.lookup_table_insert(table, keys, values)

    assert put(np.int64([3]), np.float32([4])) is None
    assert hash_table.lookup_table_size(table) == 3


def test_a_variable_is_trained():
    w = array_ops.variable(dtype="float32", shape=[2])
    array_ops.assign(w, np.float32([3, -2]))

    @opsrun.function
    def step(rate):
        value = array_ops.read_variable(w, dtype="float32", shape=[2])
        array_ops.assign_sub(w, rate * opsrun.gradients((value * value).sum(), value)[0])

    for _ in range(50):
        step(0.25)
    np.testing.assert_allclose(array_ops.read_variable(w, dtype="float32", shape=[2]), [0, 0], atol=1e-6)


def test_handles_where_none_belong(table):
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="makes attr 'T' resource, but op 'Add' allows"):
        math_ops.add(table, 1)
    for value in (1, np.int32(1), [table]):
        with pytest.raises(TypeError, match=r"input 'table_handle' of lookup_table_size\(\) takes a handle of a shared object"):
            hash_table.lookup_table_size(value)
    with pytest.raises(opsrun.errors.InvalidArgumentError, match="maps int64 to float32, but this node asks for"):
        hash_table.lookup_table_find(table, ["a"], np.float32(0))
    with pytest.raises(TypeError, match="misses attr 'key_dtype'"):
        hash_table.hash_table()
    with pytest.raises(TypeError):
        opsrun.Graph.from_yaml("opsrun: 1\nfeeds: {x: {dtype: float32, shape: []}}\n"
                               "nodes: {y: {op: Neg, in: x}}\noutputs: [y]\n").run(x=table)
