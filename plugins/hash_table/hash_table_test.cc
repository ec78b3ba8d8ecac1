// plugins/hash_table/hash_table_test.cc: the table ops as users run them.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;
using Strings = std::vector<std::string>;

constexpr int32_t kString = OPSRUN_DT_STRING, kInt32 = OPSRUN_DT_INT32, kInt64 = OPSRUN_DT_INT64;
const std::string kWrong = "INVALID_ARGUMENT: input:";

TEST(HashTableShape, TheHandleIsAScalar) {
  ShapeInferenceTestOp make("HashTable");
  INFER_OK(make.Attr("key_dtype", "string").Attr("value_dtype", "int32"), "", "[]");
  const std::string refusal = kWrong + "table_handle: table_handle must be a scalar, but its shape is [1]";
  INFER_ERROR(refusal, ShapeInferenceTestOp("LookupTableInsert"), "[1];[2];[2]");
  INFER_ERROR(refusal, ShapeInferenceTestOp("LookupTableFind"), "[1];[2];[]");
  INFER_ERROR(refusal, ShapeInferenceTestOp("LookupTableSize"), "[1]");
  ShapeInferenceTestOp all("LookupTableExport");
  INFER_ERROR(refusal, all.Attr("Tkeys", "string").Attr("Tvalues", "int32"), "[1]");
}

TEST(HashTableShape, FollowsFromThatOfTheKeys) {
  INFER_OK(ShapeInferenceTestOp("LookupTableFind"), "[];[2,?];[]", "in1");
  INFER_OK(ShapeInferenceTestOp("LookupTableFind"), "?;?;?", "in1");
  INFER_OK(ShapeInferenceTestOp("LookupTableInsert"), "[];[2,?];[?,3]", "");
  INFER_OK(ShapeInferenceTestOp("LookupTableInsert"), "?;?;[2]", "");
  INFER_OK(ShapeInferenceTestOp("LookupTableSize"), "[]", "[]");
  ShapeInferenceTestOp all("LookupTableExport");
  INFER_OK(all.Attr("Tkeys", "string").Attr("Tvalues", "int32"), "?", "[?];[o0_0]");
}

// Named tables live as long as the test, so a graph may find what an earlier one inserted.
class HashTables : public OpTest {
 protected:
  // Starts a graph with a HashTable node.
  Node Table(int32_t keys, int32_t values, const std::string& shared_name = "", const std::string& node = "words") {
    return Op("HashTable", node)
        .Attr("key_dtype", TypeName(keys))
        .Attr("value_dtype", TypeName(values))
        .Attr("shared_name", shared_name);
  }
  Node Insert(const Node& table, const Array& keys, const Array& values) {
    return Add("LookupTableInsert").Input(table).Input(keys).Input(values);
  }
  Node Find(const Node& table, const Array& keys, const Array& missing) {
    return Add("LookupTableFind").Input(table).Input(keys).Input(missing);
  }
  Node Export(const Node& table, int32_t keys, int32_t values) {
    return Add("LookupTableExport").Input(table).Attr("Tkeys", TypeName(keys)).Attr("Tvalues", TypeName(values));
  }
  Node Size(const Node& table) { return Add("LookupTableSize").Input(table); }
  // Reads the size of the table of that name, in a separate graph.
  void ExpectSize(int32_t keys, int32_t values, const std::string& shared_name, int64_t size) {
    Size(Table(keys, values, shared_name));
    RunGives<int64_t>(0, {}, {size});
  }
};

// [nodes]
TEST_F(HashTables, KeepTheLastOfEqualKeys) {
  const Node table = Table(kInt64, kInt32);
  const Node first = Insert(table, ArrayOf<int64_t>({3}, {9, 8, 9}), ArrayOf<int32_t>({3}, {1, 2, 3}));
  const Node second = Insert(table, ArrayOf<int64_t>({}, {8}), ArrayOf<int32_t>({}, {5})).After(first);
  const Node size = Size(table).After(second);
  const Node all = Export(table, kInt64, kInt32).After(second);
  RunGives(size, 0, ArrayOf<int64_t>({}, {2}));
  ExpectOutput(all, 1, ArrayOf<int32_t>({2}, {5, 3}));
}
// [/nodes]

TEST_F(HashTables, ExportInAscendingOrder) {
  const Node table = Table(kString, kInt32);
  const Node insert =
      Insert(table, ArrayOf<std::string>({4}, {"b", "", "\xff", "a"}), ArrayOf<int32_t>({4}, {1, 2, 3, 4}));
  Export(table, kString, kInt32).After(insert);
  RunGives<std::string>(0, {4}, {"", "a", "b", "\xff"});
  ExpectOutput<int32_t>(1, {4}, {2, 4, 1, 3});
}

TEST_F(HashTables, AreEmptyAtFirst) {
  const Node table = Table(kInt64, OPSRUN_DT_DOUBLE);
  const Node insert = Insert(table, ArrayOf<int64_t>({0}, {}), ArrayOf<double>({0}, {}));
  const Node find = Find(table, ArrayOf<int64_t>({0, 3}, {}), ArrayOf<double>({}, {1})).After(insert);
  const Node all = Export(table, kInt64, OPSRUN_DT_DOUBLE).After(insert);
  const Node size = Size(table).After(insert);
  RunGives(find, 0, ArrayOf<double>({0, 3}, {}));
  ExpectOutput(all, 0, ArrayOf<int64_t>({0}, {}));
  ExpectOutput(size, 0, ArrayOf<int64_t>({}, {0}));
}

// A node of a later graph may have the address of an earlier one.
TEST_F(HashTables, OwnATableEachInEachGraph) {
  Insert(Table(kInt32, kInt32), ArrayOf<int32_t>({1}, {1}), ArrayOf<int32_t>({1}, {2}));
  Run();
  ExpectSize(kInt32, kInt32, "", 0);
}

TEST_F(HashTables, HaveEveryTypeOfKeyAndValue) {
  for (const int32_t key : {kString, kInt32, kInt64}) {
    for (const int32_t value : {kString, kInt32, kInt64, int32_t{OPSRUN_DT_FLOAT}, int32_t{OPSRUN_DT_DOUBLE}}) {
      ExpectSize(key, value, "", 0);
    }
  }
}

TEST_F(HashTables, RefuseANameOfTheirOwn) {
  Table(kInt32, kInt32, "_words");
  RunFails(
      "G216: attr:shared_name: op 'HashTable' does not accept these attrs: shared_name is '_words'; names that begin "
      "with '_' are private to nodes");
}

TEST_F(HashTables, RefuseTensorsOfOtherTypes) {
  const std::string sentence =
      "INVALID_ARGUMENT: node 'node_2': input:table_handle: the table of node 'words' maps string to int32, but this "
      "node expects ";
  Find(Table(kString, kInt32), ArrayOf<std::string>({1}, {"a"}), ArrayOf<int64_t>({}, {1}));
  RunFails(sentence + "string to int64");
  Export(Table(kString, kInt32), kString, OPSRUN_DT_FLOAT);
  RunFails(sentence + "string to float");
}

TEST_F(HashTables, RefuseShapesThatDiffer) {
  const Array keys = ArrayOf<int32_t>({2}, {1, 2});
  Insert(Table(kInt32, kInt32, "words"), keys, ArrayOf<int32_t>({2, 1}, {1, 2})).Late();
  RunFails("input:values: values must have the shape of keys, which is [2], but its shape is [2,1]");
  Find(Table(kInt32, kInt32, "words"), keys, ArrayOf<int32_t>({1}, {1})).Late();
  RunFails("input:default_value: default_value must be a scalar, but its shape is [1]");
  ExpectSize(kInt32, kInt32, "words", 0);
}

TEST_F(HashTables, RefuseAHandleOfSomethingElse) {
  Op("LookupTableSize").InputHandle();
  RunFails("The handle refers to no resource, expected hash_table::Table");
}

}  // namespace
