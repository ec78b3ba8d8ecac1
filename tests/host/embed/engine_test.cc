// tests/host/embed/engine_test.cc: engines, their plugins and ops; two of them in one process; what an engine keeps
// between calls: a memory limit that calls of one shape need tells whether calls of other shapes need more.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>

#include "tests/host/embed/embedded.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun_test {
namespace {

constexpr char kZeroOutFile[] = OPSRUN_BUNDLED_PLUGINS "/zero_out.so";

class EngineTest : public testing::Test {
 protected:
  std::string CopyOfZeroOut(const char* name) const {
    std::filesystem::copy_file(kZeroOutFile, folder_.File(name));
    return folder_.File(name);
  }

  const opsrun::host::TempDir folder_;
  Engine without_plugins_ = EngineOf({});
};

TEST_F(EngineTest, DescribesOpsAndPlugins) {
  const Engine engine = Bundled();
  const OpInfo info = engine.FindOp("AddN");
  EXPECT_EQ(Text(info->name), "AddN");
  EXPECT_EQ(Text(info->plugin), "list_ops");
  ASSERT_EQ(info->n_inputs, 1u);
  EXPECT_EQ(info->inputs[0].list, 1u);
  EXPECT_EQ(Text(info->inputs[0].number_attr), "N");
  EXPECT_EQ(Text(info->json).substr(0, 2), "{\n");
  EXPECT_EQ(Refusal([&] { engine.FindOp("Nothing"); }, OPSRUN_NOT_FOUND), "G201 ");
  const Plugins plugins = engine.ListPlugins();
  ASSERT_GT(plugins.size(), 1u);
  EXPECT_EQ(plugins[0].state, OPSRUN_PLUGIN_OK);
}

// Only a graph says whether the device is needed.
TEST_F(EngineTest, CompletesTheOpsOfAPluginWithAFile) {
  Engine engine = Bundled();
  EXPECT_THAT(ErrorOf([&] { engine.Attach(OPSRUN_GRADIENT_OPS, "/nowhere.yaml"); }).what(), HasSubstr("/nowhere.yaml"));
  const std::string file = folder_.File("completes.yaml");
  std::ofstream(file) << "opsrun_ops: 1\nops: {TestUndeclared: {doc: In other words.}}\n";
  engine.Attach(OPSRUN_GRADIENT_OPS, file);
  engine.AddPlugin(OPSRUN_GRADIENT_OPS);
  EXPECT_THAT(Text(engine.FindOp("TestUndeclared")->json), HasSubstr("In other words."));
  Engine other = Bundled();
  other.AddPlugin(OPSRUN_GRADIENT_OPS);
  EXPECT_THAT(ErrorOf([&] { other.Attach(OPSRUN_GRADIENT_OPS, file); }).what(), HasSubstr("it is open without"));
}

TEST_F(EngineTest, AMissingDirectoryIsAnErrorAMissingDeviceOneOfTheGraph) {
  EngineOptions options;
  options.device = "gpu:99";
  const Engine engine(options);
  EXPECT_EQ(Refusal([&] { engine.LoadText("g.yaml", kZeroOut); }, OPSRUN_UNAVAILABLE), "D201 ");
  EXPECT_EQ(Refusal([] { EngineOf({"/no/such/directory"}); }, OPSRUN_FAILED_PRECONDITION), "P101 ");
}

TEST_F(EngineTest, TheLogSaysWhichNodeOfWhichGraphALineIsAbout) {
  std::vector<std::string> lines;
  EngineOptions options;
  options.plugins = {OPSRUN_BUNDLED_PLUGINS};
  options.default_plugins = false;
  options.log_ctx = &lines;
  options.log = [](void* to, const opsrun_log_line* line) {
    std::string text;
    for (const opsrun_str& part : {line->plugin, line->node, line->graph, line->text})
      text += std::string(Text(part)) + "|";
    text += std::to_string(line->place.line) + ":" + std::to_string(line->place.column);
    static_cast<std::vector<std::string>*>(to)->push_back(text);
  };
  const Graph graph = Engine(options).LoadText(
      "g.yaml",
      "opsrun: 1\nnodes:\n  p: {op: Print, in: {input: x, data: [x]}, attrs: {message: 'x is '}}\n"
      "feeds: {x: {value: 7, dtype: int32}}\noutputs: [p]\n");
  graph.Run({});
  EXPECT_THAT(lines, ElementsAre("array_ops|p|g.yaml|x is [7]|3:11"));
}

TEST_F(EngineTest, AFileThatIsAddedIsThereForLaterGraphs) {
  Engine& engine = without_plugins_;
  EXPECT_EQ(Refusal([&] { engine.LoadText("g.yaml", kZeroOut); }, OPSRUN_NOT_FOUND), "G201 5:11 ");
  EXPECT_EQ(opsrun_engine_add_plugin(engine.get(), Str(kZeroOutFile), nullptr, nullptr), OPSRUN_OK);
  EXPECT_EQ(engine.AddPlugin(kZeroOutFile), "zero_out") << "it is there already";
  engine.LoadText("g.yaml", kZeroOut);
  std::string qualified = kZeroOut;
  qualified.replace(qualified.find("ZeroOut"), 7, "zero_out.ZeroOut");
  engine.LoadText("g.yaml", qualified);
  EXPECT_EQ(Refusal([&] { engine.AddPlugin("/no/such.so"); }, OPSRUN_FAILED_PRECONDITION), "P104 ");
}

// The directory holds zero_out.so, and so does the copy.
TEST_F(EngineTest, AFileThatIsAddedHidesAPluginThatWasFoundButNotOneThatIsOpen) {
  Engine engine = Bundled();
  const std::string copy = CopyOfZeroOut("zero_out.so"), other = CopyOfZeroOut("other.so");
  engine.AddPlugin(copy);
  EXPECT_EQ(Text(engine.FindOp("zero_out.ZeroOut")->path), copy);
  EXPECT_EQ(ErrorOf([&] { engine.AddPlugin(other); }).code(), OPSRUN_FAILED_PRECONDITION);
}

TEST_F(EngineTest, AFileThatChangedIsNotAddedAgain) {
  const std::string file = CopyOfZeroOut("zero_out.so");
  for (int i = 0; i < 2; ++i) without_plugins_.AddPlugin(file);
  std::filesystem::rename(file, file + ".old");
  folder_.Write("zero_out.so", "another build, of which only a part is written yet");
  for (const char* said : {"it was replaced after it was loaded", "it was removed after it was loaded"}) {
    const Error error = ErrorOf([&] { without_plugins_.AddPlugin(file); });
    EXPECT_EQ(error.code(), OPSRUN_FAILED_PRECONDITION);
    EXPECT_THAT(std::string(Text(error.report()[0].message)), HasSubstr(said));
    EXPECT_EQ(Text(error.report()[0].help[0]), "restart the process to use what is there now");
    std::filesystem::remove(file);
  }
}

TEST_F(EngineTest, AFileIsAddedOnceHoweverManyAddIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] { EXPECT_NO_THROW(without_plugins_.AddPlugin(kZeroOutFile)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(without_plugins_.ListPlugins().size(), 1u);
}

TEST_F(EngineTest, AGraphFileMatchesItsLock) {
  const Engine engine = Bundled();
  const std::string graph = folder_.Write("graph.yaml", kZeroOut);
  EXPECT_NO_THROW(engine.LoadFile(graph));
  EXPECT_EQ(Refusal([&] { engine.LoadFile(graph, OPSRUN_GRAPH_FROZEN); }), "G226 ");
  const std::string lock =
      "opsrun_lock: 1\nplugins: {}\nops: {}\nfeeds: {x: \"int32 [?]\"}\narrays: {}\nnodes: []\nresults:\n  z: ";
  folder_.Write("graph.lock", lock + "int32 ?\n");
  EXPECT_NO_THROW(engine.LoadFile(graph)) << "more is known now";
  EXPECT_EQ(Refusal([&] { engine.LoadFile(graph, OPSRUN_GRAPH_FROZEN); }), "G225 5:11 G225 6:11 G225 ")
      << "the op, the result, and the plugin";
  folder_.Write("graph.lock", lock + "int32 [2]\n");
  EXPECT_EQ(Refusal([&] { engine.LoadFile(graph); }), "G225 6:11 ");
  folder_.Write("graph.lock", lock + "integers\n");
  EXPECT_EQ(Refusal([&] { engine.LoadFile(graph); }), "G105 8:6 ");
}

TEST_F(EngineTest, RefusesObjectsThatAreNull) {
  opsrun_graph* graph = nullptr;
  auto* report = reinterpret_cast<opsrun_report*>(&graph);  // whatever stood there before
  EXPECT_EQ(opsrun_graph_load_file(nullptr, Str("g.yaml"), nullptr, &graph, &report), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(report, nullptr);
  EXPECT_EQ(opsrun_graph_run(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(opsrun_prepared_call(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(opsrun_engine_trim(nullptr), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(opsrun_graph_n_feeds(nullptr), 0u);
  EXPECT_EQ(opsrun_graph_find_feed(nullptr, Str("x")), -1);
  EXPECT_EQ(opsrun_prepared_output(nullptr, 0), nullptr);
}

// What a table keeps belongs to its engine; an engine ends while another one runs.
TEST(Engines, DoNotKnowEachOther) {
  constexpr char kTable[] =
      "opsrun: 1\nfeeds:\n  key: {dtype: string, shape: [1]}\n  value: {dtype: int64, shape: [1]}\nnodes:\n"
      "  t: {op: HashTable, attrs: {key_dtype: string, value_dtype: int64, shared_name: words}}\n"
      "  put: {op: LookupTableInsert, in: [t, key, value]}\n"
      "  size: {op: LookupTableSize, in: t, after: [put]}\noutputs: [size]\n";
  const Graph graph = Bundled().LoadText("test.yaml", kTable);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) EXPECT_NO_THROW(Bundled().LoadText("other", kTable));
  });
  for (int64_t i = 1; i <= 100; ++i) {
    const std::string word = "word " + std::to_string(i);
    const opsrun_str key = Str(word);
    EXPECT_THAT(All<int64_t>(graph.Run({{&key, {1}}, {&i, {1}}})[0]), ElementsAre(i)) << "this engine's table alone";
  }
  done = true;
  other.join();
}

constexpr uint64_t kMiB = uint64_t{1} << 20;

// `times` (n + 1) everywhere.
std::vector<int32_t> Numbers(int64_t n, int32_t times = 1) {
  return std::vector<int32_t>(static_cast<size_t>(n), times * static_cast<int32_t>(n + 1));
}

PreparedOp AddN(const Engine& engine, int64_t n) {
  return engine.Prepare("AddN", {{"inputs", kInt32, {n}, true}});
}

void CallAddN(const PreparedOp& add, int64_t n) {
  const std::vector<int32_t> x = Numbers(n);
  EXPECT_EQ(All(add.Call({{x.data(), {n}}})[0]), x);
}

// A step in between, whose memory is the lane's.
constexpr char kTwoSteps[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  a: {op: AddN, in: {inputs: [x, x]}}\n"
    "  y: {op: AddN, in: {inputs: [a, x]}}\noutputs: [y]\n";
// The same with shapes that only kernels know.
constexpr char kLate[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  u: {op: Unique, in: x}\n"
    "  y: {op: AddN, in: {inputs: [u.y, u.y]}}\noutputs: [y]\n";

// Large ones are in tests/host/engine/check_graph_test.cc.
TEST(Memory, OfSmallCallsOfManyShapesIsThatOfOne) {
  const Engine engine = Bundled(kMiB);
  std::vector<PreparedOp> prepared;
  for (int64_t n = 12'000; n < 12'100; ++n) CallAddN(prepared.emplace_back(AddN(engine, n)), n);
  CallAddN(prepared[0], 12'000);  // its lane was given up
}

TEST(Memory, OfOutputsThatKernelsSizeDoesNotStay) {
  const Graph graph = Bundled(32 * kMiB).LoadText("test.yaml", kLate);
  std::vector<int32_t> values(1 << 20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  for (int64_t n = 1 << 20; n > (1 << 20) - 10; --n) EXPECT_NO_THROW(graph.Run({{values.data(), {n}}})) << n;
}

TEST(Memory, OfResultsThatAreHeldStaysWhole) {
  const Engine engine = Bundled();
  const Graph graph = engine.LoadText("test.yaml", kTwoSteps);
  std::vector<Tensor> held;
  for (int64_t n = 100'000; n < 100'020; ++n) held.push_back(std::move(graph.Run({{Numbers(n).data(), {n}}})[0]));
  engine.Trim();
  for (size_t i = 0; i < held.size(); ++i) EXPECT_EQ(All(held[i]), Numbers(100'000 + static_cast<int64_t>(i), 3));
}

TEST(Memory, IsUsedByCallersOfOtherShapesAtTheSameTime) {
  const Engine engine = Bundled(64 * kMiB);
  const Graph graph = engine.LoadText("test.yaml", kTwoSteps);
  const auto call = [&](int64_t caller) {
    for (int64_t i = 0; i < 50; ++i) {
      const int64_t n = 200'000 + 4 * ((i * 7919) % 50) + caller;
      EXPECT_EQ(All(graph.Run({{Numbers(n).data(), {n}}})[0]), Numbers(n, 3));
      if (i % 10 == 0) engine.Trim();
    }
  };
  std::vector<std::thread> callers;
  for (int64_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&call, caller] { EXPECT_NO_THROW(call(caller)); });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(Memory, OfMoreThanTheLimitIsRefused) {
  const Engine engine = Bundled(kMiB);
  const PreparedOp large = AddN(engine, 1 << 20);
  EXPECT_EQ(ErrorOf([&] { CallAddN(large, 1 << 20); }).code(), OPSRUN_RESOURCE_EXHAUSTED);
  CallAddN(AddN(engine, 1000), 1000);
}

}  // namespace
}  // namespace opsrun_test
