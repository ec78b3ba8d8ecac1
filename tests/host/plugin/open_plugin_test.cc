// tests/host/plugin/open_plugin_test.cc: one table, spoilt in one place at a time, for which this program plays the
// plugin's file; the dynamic linker's sentences in ours.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <type_traits>

#include "host/base/plugin_code.h"
#include "host/plugin/load.h"

namespace opsrun::host {
namespace {

int32_t Create(void*, opsrun_create*, void**) {
  return OPSRUN_OK;
}
int32_t Compute(void*, opsrun_call*) {
  return OPSRUN_OK;
}
void Destroy(void*) {}
int32_t Shape(void*, opsrun_shape_call*) {
  return OPSRUN_OK;
}
void Shutdown(const opsrun_host*) {}

template <typename T>
T* Wild() {
  return reinterpret_cast<T*>(uintptr_t{0xDEAD0000});
}

opsrun_str Str(const char* text) {
  return {text, std::strlen(text)};
}

// A table that is good until a test changes it; the reasons for which bad ones are refused are in
// tests/bad_plugins/refused.out. It must be static: a table on the stack lies in no file.
struct Table {
  opsrun_str inputs[2] = {Str("x: T"), Str("y: T")};
  opsrun_str attrs[1] = {Str("T: type")};
  int64_t types[2] = {OPSRUN_DT_FLOAT, OPSRUN_DT_INT32};
  opsrun_attr constraint = {
      .name = Str("T"), .kind = OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, .count = 2, .v = {.ints = types}};
  opsrun_alias alias = {Str("z"), Str("y"), OPSRUN_ALIAS_IN_PLACE, 0};
  opsrun_op op = {.size = sizeof(opsrun_op),
                  .name = Str("Add"),
                  .doc = Str("Adds.\n\nTwo lines."),
                  .inputs = inputs,
                  .attrs = attrs,
                  .n_inputs = 2,
                  .n_attrs = 1,
                  .gradient_line = 12,
                  .shape = Shape,
                  .gradient = Str("nodes: {}")};
  opsrun_kernel kernel = {.size = sizeof(opsrun_kernel),
                          .op = Str("Add"),
                          .device = Str("CPU"),
                          .constraints = &constraint,
                          .aliases = &alias,
                          .n_constraints = 1,
                          .n_aliases = 1,
                          .priority = 7,
                          .create = Create,
                          .compute = Compute,
                          .destroy = Destroy};
  const opsrun_op* ops[1] = {&op};
  const opsrun_kernel* kernels[1] = {&kernel};
  opsrun_plugin plugin = {.size = sizeof(opsrun_plugin),
                          .min_level = 1,
                          .ops = ops,
                          .kernels = kernels,
                          .n_ops = 1,
                          .n_kernels = 1,
                          .shutdown = Shutdown};
};
Table table;

class CopyTableTest : public testing::Test {
 protected:
  CopyTableTest() { Begin(); }

  static void Begin() {
    std::destroy_at(&table);
    std::construct_at(&table);
  }

  // Why the table is refused, or "" if it is not.
  std::string Reason(const opsrun_plugin* plugin = &table.plugin, uint32_t header_level = OPSRUN_LEVEL) {
    copy_ = {};
    auto refusal = CopyTable(plugin, SegmentsAround(&table), OPSRUN_LEVEL, header_level, &copy_);
    return refusal ? refusal->reason : "";
  }
  PluginTable copy_;
};

TEST_F(CopyTableTest, CopiesAll) {
  ASSERT_EQ(Reason(), "");
  ASSERT_EQ(copy_.ops.size(), 1u);
  EXPECT_EQ(copy_.ops[0].strings.inputs, (std::vector<std::string>{"x: T", "y: T"}));
  EXPECT_EQ(copy_.ops[0].op.shape, Shape);
  EXPECT_EQ(copy_.ops[0].op.gradient, "nodes: {}");
  EXPECT_EQ(copy_.ops[0].op.gradient_line, 12u);
  ASSERT_EQ(copy_.kernels.size(), 1u);
  const spec::KernelDef& kernel = copy_.kernels[0].def;
  EXPECT_EQ(kernel.priority, 7);
  ASSERT_EQ(kernel.constraints.size(), 1u);
  EXPECT_EQ(kernel.constraints[0].allowed, spec::AttrValue::TypeList({DType::kFloat32, DType::kInt32}));
  ASSERT_EQ(copy_.kernels[0].aliases.size(), 1u);
  EXPECT_EQ(copy_.kernels[0].aliases[0].output + copy_.kernels[0].aliases[0].input, "zy");
  EXPECT_EQ(copy_.shutdown, Shutdown);
}

TEST_F(CopyTableTest, TakesAsMuchAsItSaysOfTypesAndBools) {
  static int64_t types[1024];
  for (int64_t& type : types) type = OPSRUN_DT_FLOAT;
  table.constraint.v.ints = types;
  table.constraint.count = 1024;
  EXPECT_EQ(Reason(), "");
  for (size_t i = 0; i < 1024; ++i) types[i] = i % 2;
  table.constraint.kind = OPSRUN_ATTR_BOOL | OPSRUN_ATTR_LIST;
  EXPECT_EQ(Reason(), "");
}

TEST(FileSegments, HoldWhatLiesInThemWhole) {
  const FileSegments file{{{0x1000, 0x2000, false}, {0x3000, 0x4000, true}}};
  const auto holds = [&](uintptr_t address, size_t n) { return file.Holds(reinterpret_cast<void*>(address), n); };
  EXPECT_TRUE(holds(0x1000, 0x1000) && holds(0x1FF8, 8));
  EXPECT_FALSE(holds(0x1FF8, 9) || holds(0x1FF8, SIZE_MAX) || holds(0x2000, 1));
  EXPECT_FALSE(file.HoldsCode(0x1000));
  EXPECT_TRUE(file.HoldsCode(0x3000));
  EXPECT_FALSE(file.HoldsCode(0x4000));
}

// Of its own level, a host knows every flag and reserved word; of a later one it takes what it knows.
TEST_F(CopyTableTest, FlagsAndReservedWordsOfALaterLevelAreIgnored) {
  const auto refused_now_taken_later = [&](const char* reason) {
    EXPECT_EQ(Reason(), reason);
    EXPECT_EQ(Reason(&table.plugin, OPSRUN_LEVEL + 1), "");
  };
  table.alias.reserved = 7;
  refused_now_taken_later("kernels[0] of op 'Add': aliases[0]: reserved must be 0, found 7");
  table.constraint.reserved = 9;
  refused_now_taken_later("kernels[0] of op 'Add': constraints[0]: reserved must be 0, found 9");
  table.kernel.flags = 0x80000000 | OPSRUN_KERNEL_WAITS;
  refused_now_taken_later("kernels[0] of op 'Add': unknown flags 0x80000000 (level 1)");
  EXPECT_EQ(copy_.kernels.at(0).flags, OPSRUN_KERNEL_WAITS);
  table.op.flags = 64 | OPSRUN_OP_STATEFUL;
  refused_now_taken_later("ops[0] 'Add': unknown flags 0x40 (level 1)");
  EXPECT_EQ(copy_.ops.at(0).strings.flags, OPSRUN_OP_STATEFUL);
}

// What a struct has beyond the level of both is not even read: here it would lie in memory that nobody can read.
TEST_F(CopyTableTest, StructsOfALaterLevelMayBeLarger) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  char* const guard = static_cast<char*>(pages) + page;
  mprotect(guard, page, PROT_NONE);
  const auto at_the_end = [guard](auto& from) {
    from.size = SizeAt<std::remove_reference_t<decltype(from)>>(OPSRUN_LEVEL) + 24;
    return std::memcpy(guard - sizeof(from), &from, sizeof(from));
  };
  const void* const kernel = at_the_end(table.kernel);
  table.kernels[0] = static_cast<const opsrun_kernel*>(kernel);
  EXPECT_EQ(Reason(&table.plugin, OPSRUN_LEVEL + 1), "");
  EXPECT_EQ(copy_.kernels.size(), 1u);
  const void* const op = at_the_end(table.op);
  table.ops[0] = static_cast<const opsrun_op*>(op);
  table.kernels[0] = &table.kernel;
  EXPECT_EQ(Reason(&table.plugin, OPSRUN_LEVEL + 1), "");
  EXPECT_EQ(copy_.ops.size(), 1u);
  munmap(pages, 2 * page);
}

// One unknown thing costs one kernel; the others are in tests/bad_plugins/left_out.err.
TEST_F(CopyTableTest, LeavesOutTheKernelThatHasSomethingUnknown) {
  const auto left_out = [&](const std::string& what, uint32_t level) {
    EXPECT_EQ(Reason(&table.plugin, level), "");
    EXPECT_EQ(copy_.ops.size(), 1u);
    EXPECT_TRUE(copy_.kernels.empty());
    ASSERT_EQ(copy_.messages.size(), 1u);
    EXPECT_NE(copy_.messages[0].find(what), std::string::npos) << copy_.messages[0];
  };
  for (const uint32_t level : {OPSRUN_LEVEL, OPSRUN_LEVEL + 1}) {
    const Table before = table;
    for (const int64_t type : {int64_t{0}, int64_t{34}, int64_t{-1}, int64_t{1} << 32}) {
      table.types[1] = type;
      if (level > OPSRUN_LEVEL) {  // it leaves the list, which it may not empty
        EXPECT_EQ(Reason(&table.plugin, level), "");
        ASSERT_EQ(copy_.kernels.size(), 1u);
        EXPECT_EQ(copy_.kernels[0].def.constraints[0].allowed.ints, std::vector<int64_t>{table.types[0]});
        table.constraint.v.ints = table.types + 1;
        table.constraint.count = 1;
      }
      left_out("takes data type " + std::to_string(type), level);
      table.constraint = before.constraint;
    }
    table.types[1] = OPSRUN_DT_FLOAT4_E2M1FN;
    EXPECT_EQ(Reason(), "");
    EXPECT_EQ(copy_.kernels.size(), 1u);
    table.constraint.kind = OPSRUN_ATTR_TENSOR | OPSRUN_ATTR_LIST;
    table.constraint.v.ints = Wild<int64_t>();  // only a later level says where such values are
    left_out("kind 0x107", level);
    table.constraint.kind = OPSRUN_ATTR_TYPE;
    left_out("kind 0x5", level);
    table.constraint = before.constraint;
    table.kernel.device = Str("DEFAULT");
    EXPECT_EQ(Reason(), "");
    EXPECT_EQ(copy_.kernels.size(), 1u);
    table.kernel.device = Str("CPU");
  }
}

// Why one kernel is left out says nothing of the next.
TEST_F(CopyTableTest, LeavesOutOneKernelAndKeepsTheNext) {
  static opsrun_kernel other;
  static const opsrun_kernel* both[] = {&other, &table.kernel};
  other = table.kernel;
  other.device = Str("TPU");
  table.plugin.kernels = both;
  table.plugin.n_kernels = 2;
  EXPECT_EQ(Reason(), "");
  ASSERT_EQ(copy_.kernels.size(), 1u);
  EXPECT_EQ(copy_.kernels[0].def.device, "CPU");
  EXPECT_EQ(copy_.messages.size(), 1u);
}

TEST_F(CopyTableTest, LeavesOutWhatItMustUnderstandAndDoesNot) {
  table.kernel.must_understand = 4;
  // What must be understood may change what everything else means, so nothing else is read.
  table.op.must_understand = 1;
  table.op.inputs = Wild<opsrun_str>();
  table.kernel.device = Str("NPU");
  table.kernel.compute = nullptr;
  table.kernel.flags = 0xFFFFFFFF;
  EXPECT_EQ(Reason(), "");
  EXPECT_EQ(copy_.messages.size(), 2u);
}

// The reason for a message about /p/a.so, which needs these libraries, and the remedy.
Refusal Explain(const std::string& message, const std::vector<std::string>& needed = {}) {
  return ExplainLoaderMessage(message, "/p/a.so", needed);
}

TEST(ExplainLoaderMessage, NamesWhatIsMissingOrRefused) {
  const std::string cannot_open = ": cannot open shared object file: ";
  const std::string missing = "libx.so.2" + cannot_open + "No such file or directory";
  EXPECT_EQ(Explain(missing, {"libx.so.2"}).reason, "it needs the library libx.so.2, which is not found");
  const struct {
    std::string message;
    const char* reason;
  } rows[] = {{missing, "a library that it needs needs libx.so.2, which is not found"},
              {"libx.so.2" + cannot_open + "Permission denied",
               "a library that it needs needs libx.so.2, which cannot be read: permission denied"},
              {"/p/a.so" + cannot_open + "Too many open files", "it cannot be read: too many open files"},
              {"/p/a.so: undefined symbol: blur, version V1",
               "it uses the symbol blur, which no library that it is linked with defines"},
              {"/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by /p/a.so)",
               "it needs GLIBCXX_3.4.99, which this machine's /lib/libstdc++.so.6 does not provide"},
              {"strange", "the dynamic linker says: strange"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Explain(row.message, {"liby.so"}).reason, row.reason);
    EXPECT_FALSE(Explain(row.message).out_of_memory) << row.message;
  }
  EXPECT_EQ(Explain(rows[1].message).remedy.find("make the file"), 0u);
  EXPECT_EQ(Explain("/lib/dep.so: undefined symbol: blur").reason.substr(0, 11), "/lib/dep.so");
  EXPECT_NE(Explain(rows[4].message).remedy.find("-static-libstdc++"), std::string::npos);
  const Refusal refusal = Explain("/p/a.so: cannot create shared object descriptor: Cannot allocate memory");
  EXPECT_TRUE(refusal.out_of_memory);
  EXPECT_EQ(refusal.remedy.find("build"), std::string::npos);
}

}  // namespace

}  // namespace opsrun::host
