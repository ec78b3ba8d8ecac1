// tests/host/engine/check_graph_test.cc: what an engine refuses of a graph, and what it keeps between calls of graphs.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "host/engine/callable_plan.h"
#include "host/engine/loaded_graph.h"
#include "host/engine/op_cache.h"
#include "host/tensor/npy.h"
#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {
namespace {

// tests/graphs has what is wrong with one feed.
TEST(CheckFeeds, TellsAMissingFeedBesideAnUnknownOne) {
  const auto errors = [](const std::vector<std::string>& given, bool all) {
    Graph graph;
    graph.source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", ""});
    graph.feeds.resize(1);
    graph.feeds[0].name.value = "image";
    graph.left_out = {"broken"};
    Diagnostics diagnostics;
    CheckFeeds(graph, given, all, diagnostics);
    std::string codes;
    for (const Diagnostic& d : diagnostics.all()) codes += std::string(d.code.text()) + " ";
    return codes;
  };
  EXPECT_EQ(errors({}, false), "") << "it is missing in a run alone";
  EXPECT_EQ(errors({"imge"}, true), "F301 ") << "a mistyped name is one error";
  EXPECT_EQ(errors({"other"}, true), "F301 F304 ");
  EXPECT_EQ(errors({"image", "broken"}, true), "") << "a feed with a mistake is not unknown";
}

class CheckRequiresTest : public ::testing::Test {
 protected:
  CatalogEntry& Add(const std::string& path, const std::string& name, const std::string& version) {
    CatalogEntry& entry = catalog_.entries.emplace_back();
    entry.path = path;
    entry.note.name = name;
    entry.note.version = version;
    return entry;
  }

  // The only error, with its help and notes; empty if all holds.
  std::string Found(const std::string& requires_text) {
    auto source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", "opsrun: 1\nrequires: " + requires_text});
    Diagnostics diagnostics;
    const std::optional<Graph> graph = ReadGraph(source, diagnostics);
    const std::vector<std::string> unmet = CheckRequires(*graph, catalog_, diagnostics);
    EXPECT_EQ(unmet.size(), diagnostics.all().size());
    if (diagnostics.all().empty()) return "";
    const Diagnostic& d = diagnostics.all()[0];
    std::string text = std::string(d.code.text()) + " " + d.message;
    for (const std::string& help : d.help) text += "\nhelp: " + help;
    for (const std::string& note : d.notes) text += "\nnote: " + note;
    return text;
  }

  // The ops of these nodes that are held back if `unmet` is not met.
  std::vector<std::string> HeldBack(const std::string& nodes, const std::string& unmet) {
    auto source = std::make_shared<const SourceFile>(SourceFile{"g.yaml", "opsrun: 1\nnodes: " + nodes});
    Diagnostics diagnostics;
    return OpsOfUnmet(*ReadGraph(source, diagnostics), catalog_, {unmet});
  }

  Catalog catalog_;
};

TEST_F(CheckRequiresTest, HoldsBackWhatIsOrMayBeOfAnUnmetPlugin) {
  Add("a.so", "a", "1.0").note.ops = {"Old"};
  Add("b.so", "b", "1.0").note.ops = {"Other"};
  EXPECT_EQ(HeldBack("{x: {op: Old}, y: {op: Other}, z: {op: Unknown}, w: {op: b.Other}}", "a"),
            (std::vector<std::string>{"Old", "Unknown"}));
  EXPECT_EQ(HeldBack("{x: {op: Old}, y: {op: a.New}, z: {op: c.New}}", "c"), (std::vector<std::string>{"c.New"}));
}

TEST_F(CheckRequiresTest, NamesTheFileThatIsHidden) {
  Add("/new/a.so", "a", "1.0");
  Add("/old/a.so", "a", "2.0").hidden_by = "/new/a.so";
  EXPECT_EQ(Found("{a: '>= 2'}"),
            "P302 plugin 'a' is version 1.0, but the graph requires '>= 2'\n"
            "help: install a version that fits, or change the range if the graph works with this one\n"
            "note: found: /new/a.so\n"
            "note: it hides /old/a.so, version 2.0");
}

TEST_F(CheckRequiresTest, SaysWhyAPluginIsRefused) {
  Add("a.so", "a", "1.0").refusal = Refusal{"it needs level 9", "use a newer opsrun"};
  EXPECT_EQ(Found("{a: 1}"), "P301 plugin 'a' was refused\nhelp: use a newer opsrun\nnote: a.so: it needs level 9");
}

// tests/graphs/requires.yaml has ranges that hold.
TEST_F(CheckRequiresTest, ComparesNumbersAlone) {
  EXPECT_EQ(Found("{a: '*'}"),
            "P301 there is no plugin 'a'\nhelp: there are no plugins\nnote: no directory was searched");
  Add("a.so", "a", "1.0-beta");
  EXPECT_EQ(Found("{a: '>= 1'}").substr(0, 5), "P302 ");
}

// Loaded for runs, a graph keeps one node of each kind once it is planned; their names and places are beside them.
TEST(LoadedText, IsCompiledByItsFirstPlan) {
  InProcessOps ops;
  ops.Add({.name = "Copy", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, ComputeNothing);
  ops.Add({.name = "Fail", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape,
          [](void*, opsrun_call*) -> int32_t { return OPSRUN_INTERNAL; });
  EngineOptions options;
  options.default_plugins = false;
  Diagnostics none;
  const std::shared_ptr<Engine> engine = Engine::Create(std::move(options), none);
  engine->AddBuiltIn(ops.plugin());
  const std::shared_ptr<LoadedGraph> loaded =
      engine->LoadText(std::make_shared<const SourceFile>(SourceFile{
                           "test.yaml",
                           "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  c: {op: Fail, in: b}\n"
                           "  b: {op: Copy, in: a}\n  a: {op: Copy, in: x, after: [other]}\n  other: {op: Copy, in: "
                           "x}\noutputs: [c]\n"}),
                       {.only_runs = true});
  for (const int64_t size : {-1, 2}) {
    PlanOptions planned_for;
    if (size > 0) planned_for.feeds = {{"x", {DType::kInt32, {size}}}};
    const std::shared_ptr<const PlannedGraph> planned = loaded->Plan(planned_for);
    ASSERT_NE(planned, nullptr);
    EXPECT_EQ(loaded->graph()->nodes.size(), 2u);
    EXPECT_EQ(loaded->graph()->num_nodes(), 4u);
    std::string names;
    for (const Step& step : planned->plan().steps) names += std::string(planned->plan().NodeName(step)) + " ";
    EXPECT_EQ(names, "other a b c ");
    RunFailure failure;
    failure.step = 3;
    failure.status = {OPSRUN_INTERNAL, "it failed", ""};
    const Diagnostic told = DescribeFailure(planned->plan(), failure);
    EXPECT_EQ(told.where.begin.line, 5u);
    EXPECT_EQ(told.message, "node 'c' failed: INTERNAL: it failed");
  }
}

constexpr size_t kMiB = size_t{1} << 20;
constexpr char kTwoSteps[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  a: {op: AddOne, in: x}\n"
    "  b: {op: AddOne, in: a}\noutputs: [b]\n";

class IdleLanesTest : public ::testing::Test {
 protected:
  IdleLanesTest() { ops_.Add({.name = "AddOne", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape, AddOne); }

  void Open(size_t memory_limit, const std::string& text = kTwoSteps, size_t most_plans = 64) {
    EngineOptions options;
    options.default_plugins = false;
    options.threads = 2;
    options.memory_limit = memory_limit;
    Diagnostics diagnostics;
    engine_ = Engine::Create(std::move(options), diagnostics);
    engine_->AddBuiltIn(ops_.plugin());
    auto loaded = engine_->LoadText(std::make_shared<const SourceFile>(SourceFile{"test.yaml", text}));
    ASSERT_FALSE(loaded->diagnostics().has_errors());
    graph_ = std::make_unique<CallableGraph>(loaded, most_plans);
  }
  std::shared_ptr<CallablePlan> PlanFor(int64_t n) {
    const TensorRef ref{nullptr, DType::kInt32, 1, &n};
    Diagnostics diagnostics;
    return graph_->PlanFor({&ref, 1}, diagnostics);
  }
  // The code of the call.
  int32_t Call(int64_t n) {
    std::vector<int32_t> x(static_cast<size_t>(n), 5);
    const TensorRef ref{x.data(), DType::kInt32, 1, &n};
    CallOutput output;
    const std::optional<RunFailure> failure = PlanFor(n)->Run({&ref, 1}, {&output, 1}, {});
    if (failure) return failure->status.code();
    EXPECT_EQ(static_cast<const int32_t*>(output.data)[n - 1], 7);
    return OPSRUN_OK;
  }

  InProcessOps ops_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<CallableGraph> graph_;
};

TEST_F(IdleLanesTest, LargeCallsOfManyShapesNeedTheMemoryOfOne) {
  Open(13 * kMiB);
  for (int64_t n = 1 << 20; n < (1 << 20) + 30; ++n) EXPECT_EQ(Call(n), OPSRUN_OK) << n;
  for (int64_t n = 1 << 20; n > 1 << 14; n /= 2) EXPECT_EQ(Call(n), OPSRUN_OK) << n;
  EXPECT_EQ(Call(1 << 20), OPSRUN_OK);
  EXPECT_LT(engine_->idle_lanes()->bytes(), kMiB);
}

TEST_F(IdleLanesTest, TrimGivesAllBack) {
  Open(0);
  for (int64_t n = 1; n < 1 << 20; n *= 2) EXPECT_EQ(Call(n), OPSRUN_OK);
  EXPECT_GT(engine_->idle_lanes()->bytes(), 0u);
  engine_->TrimMemory();
  EXPECT_EQ(engine_->idle_lanes()->bytes(), 0u);
  EXPECT_EQ(Call(1 << 19), OPSRUN_OK);
}

TEST_F(IdleLanesTest, LanesOfADroppedPlanAreNotCounted) {
  Open(0, kTwoSteps, 2);
  for (int64_t n = 1; n < 50; ++n) EXPECT_EQ(Call(n), OPSRUN_OK);
  const size_t two = engine_->idle_lanes()->bytes();
  for (int64_t n = 1; n < 50; ++n) EXPECT_EQ(Call(n), OPSRUN_OK);
  EXPECT_LE(engine_->idle_lanes()->bytes(), 2 * two);
  graph_.reset();
  EXPECT_EQ(engine_->idle_lanes()->bytes(), 0u);
}

TEST_F(IdleLanesTest, PlansOfAGraphShareTheArraysOfFiles) {
  const std::string path = testing::TempDir() + std::to_string(getpid()) + "idle_lanes_test.npy";
  Result<Tensor> array = Tensor::Create(DType::kInt32, {4});
  Result<AtomicFile> file = WriteNpyAside(path, *array);
  ASSERT_TRUE(file.ok() && file->Commit().ok());
  Open(0, "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\n  w: {npy: " + path +
              "}\nnodes:\n  a: {op: AddOne, in: x}\n  b: {op: AddOne, in: w}\noutputs: [a, b]\n");
  const std::shared_ptr<CallablePlan> one = PlanFor(1), two = PlanFor(2);
  std::remove(path.c_str());
  ASSERT_EQ(one->plan().constants.size(), 1u);
  EXPECT_EQ(one->plan().constants[0].data(), two->plan().constants[0].data());
  EXPECT_NE(PlanFor(3), nullptr) << "the file is not read again";
}

TEST(LruCache, IsReadWhileItChanges) {
  LruCache<int, std::shared_ptr<int>> cache(4);
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      for (int key = 0; !done; key = (key + 1) % 8) {
        const std::shared_ptr<int> found = cache.Find([&](int other) { return other == key; });
        EXPECT_TRUE(found == nullptr || *found == 10 * key);
      }
    });
  }
  for (int i = 0; i < 2000; ++i) cache.Add(i % 8, std::make_shared<int>(10 * (i % 8)), 1);
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(cache.All().size(), 4u);
}

TEST(LruCache, IsBoundedInBytes) {
  constexpr size_t kMost = LruCache<int, int>::kMostBytes;
  LruCache<int, int> cache(8);
  const auto find = [&](int key) { return cache.Find([&](int other) { return other == key; }); };
  cache.Add(1, 10, kMost / 2);
  cache.Add(2, 20, kMost / 2);
  EXPECT_EQ(find(1), 10);
  cache.Add(3, 30, 1);
  EXPECT_EQ(find(2), 0) << "the least recently used one";
  EXPECT_EQ(find(1), 10);
  cache.Add(4, 40, 2 * kMost);
  EXPECT_EQ(find(4), 40) << "the new one stays in any case";
  EXPECT_EQ(find(1), 0);
  cache.Add(5, 50, 1);
  EXPECT_EQ(find(4), 0);
  EXPECT_EQ(find(5), 50);
}

}  // namespace
}  // namespace opsrun::host
