"""Objects of plugins: shared ones, such as tables and variables, and values of types of a plugin's own, variants.

SPDX-License-Identifier: Apache-2.0
"""

import os

import numpy as np
import pytest

import opsrun
from opsrun._values import NUMBERS
from opsrun.ops import array_ops, hash_table, list_ops, math_ops

lib = opsrun.load_op_library(os.path.join(os.environ["OPSRUN_TEST_PLUGINS"], "python", "name_lists.so"))


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


GRAPH = "opsrun: 1\nfeeds: {x: {dtype: float32, shape: []}}\nnodes: {y: {op: Neg, in: x}}\noutputs: [y]\n"


@pytest.mark.parametrize("error, message, call", [
    (opsrun.errors.InvalidArgumentError, "makes attr 'T' resource, but op 'Add' allows", lambda table: math_ops.add(table, 1)),
    (opsrun.errors.InvalidArgumentError, "makes attr 'T' resource, but op 'AddN' allows",
     lambda table: list_ops.add_n([table, np.float32(1)])),
    *((TypeError, r"input 'table_handle' of lookup_table_size\(\) takes a handle of a shared object",
       lambda table, of=of: hash_table.lookup_table_size(of(table))) for of in (lambda _: 1, lambda _: np.int32(1), lambda table: [table])),
    (opsrun.errors.InvalidArgumentError, "maps int64 to float32, but this node expects",
     lambda table: hash_table.lookup_table_find(table, ["a"], np.float32(0))),
    (TypeError, "is missing a required argument: 'key_dtype'", lambda table: hash_table.hash_table()),
    (TypeError, None, lambda table: opsrun.Graph.from_yaml(GRAPH).run(x=table)),
])
def test_handles_where_none_belong(table, error, message, call):
    with pytest.raises(error, match=message):
        call(table)


# Variants.


def test_they_flow_through_a_traced_function():
    shown = []

    @opsrun.function
    def names(first, last):
        some = lib.name_list_of([first, "b"])
        shown.append(repr(some))
        return lib.name_list_names(lib.name_list_push(some, last)), lib.name_list_names(some)

    longer, shorter = names(np.array(b"a", object), np.array(b"c", object))
    assert longer.tolist() == [b"a", b"b", b"c"]
    assert shorter.tolist() == [b"a", b"b"]
    assert shown == ["<traced name_list_of: variant []>"]


# One after the other takes the one before it, and nothing that is traced.
def test_a_chain_of_them_may_be_long():
    @opsrun.function
    def names():
        some = lib.name_list_of([])
        for i in range(60):
            some = lib.name_list_push(some, str(i))
        return lib.name_list_names(some)

    assert names().tolist() == [str(i).encode() for i in range(60)]


TEXT = np.array(b"a", object)


@pytest.mark.parametrize("error, message, call", [
    (TypeError, r"name_list_of\(\) returns a variant, which exists only while a graph runs; call it in a function of @opsrun.function",
     lambda: lib.name_list_of(["a"])),
    *((TypeError, r"input 'list' of name_list_names\(\) takes a variant, which an op returns in a function",
       lambda value=value: lib.name_list_names(value)) for value in ("a", 1, np.zeros(2), None)),
    (TypeError, "the result 'name_list_of' is a variant, which exists only while the graph runs",
     opsrun.function(lambda: lib.name_list_of(["a"]))),
    (TypeError, r"input 'list' of name_list_push\(\) takes a variant, .*, not int",
     lambda: opsrun.function(lambda name: lib.name_list_names(lib.name_list_push(1, name)))("a")),
    (opsrun.errors.InvalidArgumentError, "input 'list' must be variant, found float32",
     lambda: opsrun.function(lambda x: lib.name_list_names(x + 1))(np.float32(2))),
    (opsrun.errors.InvalidArgumentError, "makes attr 'T' variant, but op 'Neg' allows",
     lambda: opsrun.function(lambda name: math_ops.neg(lib.name_list_of([name])))("a")),
    (opsrun.errors.InvalidArgumentError, "Expected a list of names",
     lambda: opsrun.function(lambda name: lib.name_list_names(lib.name_list_push(lib.number_in_a_variant(), name)))(TEXT)),
    (TypeError, None, lambda: opsrun._native.numpy_dtype(NUMBERS["variant"])),
])
def test_variants_where_none_belong(error, message, call):
    with pytest.raises(error, match=message):
        call()


uses_the_list = False


@opsrun.RegisterGradient("NameListTimes")
def _name_list_times_grad(op, grad):
    if uses_the_list:
        lib.name_list_names(op.inputs[0])
    return [None, grad * (op.outputs[0] / op.inputs[1])]


def test_gradients_pass_them_by():
    def times(x, name):
        return lib.name_list_times(lib.name_list_of([name, name]), x).sum()

    global uses_the_list
    uses_the_list = False
    np.testing.assert_array_equal(opsrun.grad(times)(np.float32([3, 4]), "a"), [2, 2])
    uses_the_list = True
    with pytest.raises(TypeError, match="is an object of another graph, which a registered gradient cannot use"):
        opsrun.grad(times)(np.float32([5]), "a")
