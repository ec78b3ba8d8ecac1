// plugins/hash_table/hash_table_test.cc: the kernels.
// SPDX-License-Identifier: Apache-2.0
#include "hash_table_test.h"

namespace hash_table_test {
namespace {

constexpr int32_t kString = OPSRUN_DT_STRING, kInt32 = OPSRUN_DT_INT32, kInt64 = OPSRUN_DT_INT64;

TEST_F(HashTableOps, FindWhatWasInserted) {
  FakeTensor* table = Handle(kString, kInt64);
  FakeCall insert(host_), find(host_);
  insert.In(table).InStrings({2}, {"one", "a key that is longer than any string object"}).In<int64_t>({2}, {1, 77});
  EXPECT_EQ(Insert(insert, kString, kInt64), "ok");
  find.In(table).InStrings({2, 2}, {"two", "one", "", "a key that is longer than any string object"});
  EXPECT_EQ(Find(find.In<int64_t>({}, {-1}), kString, kInt64), "ok");
  EXPECT_EQ(find.Shape(0), (Sizes{2, 2}));
  EXPECT_EQ(find.Values<int64_t>(0), (std::vector<int64_t>{-1, 1, -1, 77}));
}

TEST_F(HashTableOps, MapToStrings) {
  FakeTensor* table = Handle(kInt32, kString);
  FakeCall insert(host_), find(host_);
  insert.In(table).In<int32_t>({2}, {3, 4}).InStrings({2}, {"three", "four, with more to say than fits"});
  EXPECT_EQ(Insert(insert, kInt32, kString), "ok");
  find.In(table).In<int32_t>({3}, {4, 5, 3}).InStrings({}, {"?"});
  EXPECT_EQ(Find(find, kInt32, kString), "ok");
  EXPECT_EQ(find.Strings(0), (Strings{"four, with more to say than fits", "?", "three"}));
}

TEST_F(HashTableOps, KeepTheLastOfEqualKeys) {
  FakeTensor* table = Handle(kInt64, kInt32);
  FakeCall first(host_), second(host_), all(host_);
  EXPECT_EQ(Insert(first.In(table).In<int64_t>({3}, {9, 8, 9}).In<int32_t>({3}, {1, 2, 3}), kInt64, kInt32), "ok");
  EXPECT_EQ(Insert(second.In(table).In<int64_t>({}, {8}).In<int32_t>({}, {5}), kInt64, kInt32), "ok");
  EXPECT_EQ(Size(table), 2);
  EXPECT_EQ(Export(all.In(table), kInt64, kInt32), "ok");
  EXPECT_EQ(all.Values<int32_t>(1), (std::vector<int32_t>{5, 3}));
}

TEST_F(HashTableOps, ExportInAscendingOrder) {
  FakeTensor* table = Handle(kString, kInt32);
  FakeCall insert(host_), all(host_);
  insert.In(table).InStrings({4}, {"b", "", "\xff", "a"}).In<int32_t>({4}, {1, 2, 3, 4});
  EXPECT_EQ(Insert(insert, kString, kInt32), "ok");
  EXPECT_EQ(Export(all.In(table), kString, kInt32), "ok");
  EXPECT_EQ(all.Strings(0), (Strings{"", "a", "b", "\xff"}));
  EXPECT_EQ(all.Values<int32_t>(1), (std::vector<int32_t>{2, 4, 1, 3}));
}

TEST_F(HashTableOps, AreEmptyAtFirst) {
  FakeTensor* table = Handle(kInt64, OPSRUN_DT_DOUBLE);
  FakeCall insert(host_), find(host_), all(host_);
  EXPECT_EQ(Insert(insert.In(table).In<int64_t>({0}, {}).In<double>({0}, {}), kInt64, OPSRUN_DT_DOUBLE), "ok");
  EXPECT_EQ(Find(find.In(table).In<int64_t>({0, 3}, {}).In<double>({}, {1}), kInt64, OPSRUN_DT_DOUBLE), "ok");
  EXPECT_EQ(find.Shape(0), (Sizes{0, 3}));
  EXPECT_EQ(Export(all.In(table), kInt64, OPSRUN_DT_DOUBLE), "ok");
  EXPECT_EQ(all.Shape(0), Sizes{0});
  EXPECT_EQ(Size(table), 0);
}

TEST_F(HashTableOps, ShareATableByName) {
  FakeTensor *a = Handle(kInt32, kInt32, "words", "a"), *b = Handle(kInt32, kInt32, "words", "b");
  FakeCall insert(host_);
  EXPECT_EQ(Insert(insert.In(a).In<int32_t>({2}, {1, 2}).In<int32_t>({2}, {3, 4}), kInt32, kInt32), "ok");
  EXPECT_EQ(Size(b), 2);
  EXPECT_EQ(host_.named_resources(), 1);
}

// The second node may well lie where the first one lay.
TEST_F(HashTableOps, OwnATableEachWithoutAName) {
  FakeTensor *a = Handle(kInt32, kInt32), *b = Handle(kInt32, kInt32);
  FakeCall insert(host_);
  EXPECT_EQ(Insert(insert.In(a).In<int32_t>({2}, {1, 2}).In<int32_t>({2}, {3, 4}), kInt32, kInt32), "ok");
  EXPECT_EQ(Size(a), 2);
  EXPECT_EQ(Size(b), 0);
}

TEST_F(HashTableOps, HaveEveryTypeOfKeyAndValue) {
  for (int32_t key : {kString, kInt32, kInt64}) {
    for (int32_t value : {kString, kInt32, kInt64, int32_t{OPSRUN_DT_FLOAT}, int32_t{OPSRUN_DT_DOUBLE}}) {
      Handle(key, value);
      EXPECT_EQ(told_, "ok") << key << " to " << value;
    }
  }
}

TEST_F(HashTableOps, RefuseANameThatHasOtherTypes) {
  Handle(kInt32, kInt32, "words", "a");
  Handle(kString, kInt32, "words", "b");
  EXPECT_EQ(told_, Refusal("attr:shared_name",
                           "table 'words' maps int32 to int32 since another node made it so, but this node asks for "
                           "string to int32; another shared_name makes another table"));
}

TEST_F(HashTableOps, RefuseANameOfTheirOwn) {
  Handle(kInt32, kInt32, "_words");
  EXPECT_EQ(told_, Refusal("attr:shared_name", "shared_name is '_words'; a name that begins with '_' is a node's own"));
}

TEST_F(HashTableOps, RefuseTensorsOfOtherTypes) {
  FakeTensor* table = Handle(kString, kInt32, "", "words");
  FakeCall insert(host_), find(host_), all(host_);
  const std::string has = "the table of node 'words' maps string to int32, but this node asks for ";
  EXPECT_EQ(Insert(insert.In(table).In<int32_t>({1}, {1}).In<int32_t>({1}, {1}), kInt32, kInt32),
            Refusal("input:table_handle", has + "int32 to int32"));
  EXPECT_EQ(Find(find.In(table).InStrings({1}, {"a"}).In<int64_t>({}, {1}), kString, kInt64),
            Refusal("input:table_handle", has + "string to int64"));
  EXPECT_EQ(Export(all.In(table), kString, OPSRUN_DT_FLOAT), Refusal("input:table_handle", has + "string to float"));
}

TEST_F(HashTableOps, RefuseShapesThatDiffer) {
  FakeTensor* table = Handle(kInt32, kInt32);
  FakeCall insert(host_), find(host_);
  EXPECT_EQ(Insert(insert.In(table).In<int32_t>({2}, {1, 2}).In<int32_t>({2, 1}, {1, 2}), kInt32, kInt32),
            Refusal("input:values", "values must have the shape of keys, which is [2], but its shape is [2,1]"));
  EXPECT_EQ(Find(find.In(table).In<int32_t>({2}, {1, 2}).In<int32_t>({1}, {1}), kInt32, kInt32),
            Refusal("input:default_value", "default_value must be a scalar, but its shape is [1]"));
  EXPECT_EQ(Size(table), 0);
}

TEST_F(HashTableOps, RefuseAHandleOfSomethingElse) {
  FakeTensor* none = host_.NewFrameTensor(OPSRUN_DT_RESOURCE);
  none->Allocate(0, nullptr);
  EXPECT_EQ(Size(none), -1);
  EXPECT_EQ(told_, Refusal("input:table_handle",
                           "table_handle must come from an op HashTable. The handle is of no resource, expected "
                           "hash_table::Table"));
  static char theirs;
  const auto make = [](void*, void** object) -> int32_t { return *object = &theirs, OPSRUN_OK; };
  const opsrun_resource* counter = nullptr;
  FakeCall call(host_);
  host_.table()->resource(
      call.frame(), opsrun_test::Str("c"), opsrun_test::Str("hits"), opsrun_test::Str("Counter"), make, nullptr,
      [](void*) {}, &counter);
  *static_cast<const opsrun_resource**>(none->view.data) = counter;
  EXPECT_EQ(Size(none), -1);
  EXPECT_EQ(told_, Refusal("input:table_handle",
                           "table_handle must come from an op HashTable. The handle is of resource 'hits' of type "
                           "Counter of another plugin, expected hash_table::Table"));
}

}  // namespace
}  // namespace hash_table_test
