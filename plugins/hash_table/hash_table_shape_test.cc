// plugins/hash_table/hash_table_shape_test.cc: the shape functions.
// SPDX-License-Identifier: Apache-2.0
#include "hash_table_test.h"

namespace hash_table_test {
namespace {

struct HashTableShapes : HashTableOps {
  std::string InferInsert(const std::string& shapes) {
    return Infer("LookupTableInsert", shapes, {"table_handle", "keys", "values"}, 0);
  }
  std::string InferFind(const std::string& shapes) {
    return Infer("LookupTableFind", shapes, {"table_handle", "keys", "default_value"}, 1);
  }
};

TEST_F(HashTableShapes, TheHandleIsAScalar) {
  EXPECT_EQ(Infer("HashTable", "", {}, 1), "[]");
  const std::string refusal = Refusal("input:table_handle", "table_handle must be a scalar, but its shape is [1]");
  EXPECT_EQ(InferInsert("[1];[2];[2]"), refusal);
  EXPECT_EQ(InferFind("[1];[2];[]"), refusal);
  EXPECT_EQ(Infer("LookupTableSize", "[1]", {"table_handle"}, 1), refusal);
  EXPECT_EQ(Infer("LookupTableExport", "[1]", {"table_handle"}, 2), refusal);
}

TEST_F(HashTableShapes, ValuesHaveTheShapeOfKeys) {
  EXPECT_EQ(InferFind("[];[2,?];[]"), "in1");
  EXPECT_EQ(InferFind("?;?;?"), "in1");
}

TEST_F(HashTableShapes, ADefaultIsAScalar) {
  EXPECT_EQ(InferFind("[];[2];[2]"),
            Refusal("input:default_value", "default_value must be a scalar, but its shape is [2]"));
}

TEST_F(HashTableShapes, AsManyValuesAsKeysAreInserted) {
  EXPECT_EQ(InferInsert("[];[2,?];[?,3]"), "");
  EXPECT_EQ(InferInsert("?;?;[2]"), "");
  EXPECT_EQ(InferInsert("[];[2,?];[3,?]"),
            Refusal("input:values", "values must have the shape of keys, which is [2,?], but its shape is [3,?]"));
}

TEST_F(HashTableShapes, ContentsAreCounted) {
  EXPECT_EQ(Infer("LookupTableSize", "[]", {"table_handle"}, 1), "[]");
}

TEST_F(HashTableShapes, ExportedKeysAndValuesAreAsMany) {
  FakeShapeCall call(host_, "?", 2);
  EXPECT_EQ(Infer("LookupTableExport", call.InArg("table_handle", 1)), "[?];[?]");
  EXPECT_EQ(call.Output(0)->dims[0], call.Output(1)->dims[0]);
}

}  // namespace
}  // namespace hash_table_test
