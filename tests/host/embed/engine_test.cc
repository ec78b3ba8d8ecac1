// tests/host/embed/engine_test.cc: engines, their plugins and ops; two of them in one process.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

class EngineTest : public Embedded {
 protected:
  // An empty directory of this test's own.
  EngineTest() : folder_(std::filesystem::path(testing::TempDir()) / ("engine_test" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~EngineTest() override { std::filesystem::remove_all(folder_); }

  std::string CopyOfZeroOut(const char* name) const {
    std::filesystem::copy_file(kZeroOutFile, folder_ / name);
    return folder_ / name;
  }
  int32_t AddFile(const std::string& file, opsrun_report** report = nullptr) {
    return opsrun_engine_add_plugin(engine_, {file.data(), file.size()}, nullptr, report);
  }

  static constexpr char kZeroOutFile[] = OPSRUN_BUNDLED_PLUGINS "/zero_out.so";
  const std::filesystem::path folder_;
};

TEST_F(EngineTest, DescribesAnOp) {
  const opsrun_op_info* info = nullptr;
  ASSERT_EQ(opsrun_engine_find_op(engine_, opsrun_str_of("AddN"), &info, nullptr), OPSRUN_OK);
  EXPECT_EQ(TextOf(info->name), "AddN");
  EXPECT_EQ(TextOf(info->plugin), "list_ops");
  ASSERT_EQ(info->n_inputs, 1u);
  EXPECT_EQ(info->inputs[0].list, 1u);
  EXPECT_EQ(TextOf(info->inputs[0].number_attr), "N");
  EXPECT_EQ(TextOf(info->json).substr(0, 2), "{\n");
  opsrun_op_info_free(info);
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_engine_find_op(engine_, opsrun_str_of("Nothing"), &info, &report), OPSRUN_NOT_FOUND);
  EXPECT_EQ(info, nullptr);
  EXPECT_EQ(CodesOf(report), "G201 ");
}

TEST_F(EngineTest, AMissingDirectoryIsAnError) {
  const opsrun_str nowhere = opsrun_str_of("/no/such/directory");
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.plugins = &nowhere;
  options.n_plugins = 1;
  opsrun_engine* engine = nullptr;
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_engine_create(&options, &engine, &report), OPSRUN_FAILED_PRECONDITION);
  EXPECT_EQ(engine, nullptr);
  EXPECT_EQ(CodesOf(report), "P101 ");
}

// Only a graph says whether the device is needed.
TEST_F(EngineTest, ADeviceThatIsNotThereIsAnErrorOfTheGraph) {
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.device = opsrun_str_of("gpu:99");
  opsrun_engine* engine = nullptr;
  ASSERT_EQ(opsrun_engine_create(&options, &engine, nullptr), OPSRUN_OK);
  opsrun_graph* graph = nullptr;
  opsrun_report* report = nullptr;
  EXPECT_EQ(opsrun_graph_load_text(engine, opsrun_str_of("g.yaml"), opsrun_str_of(kZeroOut), nullptr, &graph, &report),
            OPSRUN_UNAVAILABLE);
  EXPECT_EQ(CodesOf(report), "D201 ");
  opsrun_engine_destroy(engine);
}

// A caller that was built with a header of fewer fields.
TEST_F(EngineTest, ReadsNoFieldBeyondTheSizeOfItsOptions) {
  opsrun_engine_options options;
  memset(&options, 0xff, sizeof(options));
  options.size = offsetof(opsrun_engine_options, plugins);
  options.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
  opsrun_engine* engine = nullptr;
  EXPECT_EQ(opsrun_engine_create(&options, &engine, nullptr), OPSRUN_OK);
  opsrun_engine_destroy(engine);
}

TEST_F(EngineTest, AFileThatIsAddedIsThereForLaterGraphs) {
  BeginWithoutPlugins();
  EXPECT_EQ(Load(kZeroOut), "G201 5:11 ");
  opsrun_report* report = nullptr;
  EXPECT_EQ(AddFile(kZeroOutFile, &report), OPSRUN_OK) << CodesOf(report);
  EXPECT_EQ(AddFile(kZeroOutFile), OPSRUN_OK) << "it is there already";
  EXPECT_EQ(Load(kZeroOut), "");
  std::string qualified = kZeroOut;
  qualified.replace(qualified.find("ZeroOut"), 7, "zero_out.ZeroOut");
  EXPECT_EQ(Load(qualified), "");
  EXPECT_EQ(AddFile("/no/such.so", &report), OPSRUN_FAILED_PRECONDITION);
  EXPECT_EQ(CodesOf(report), "P104 ");
}

// The directory holds zero_out.so, and so does the copy.
TEST_F(EngineTest, AFileThatIsAddedHidesAPluginThatWasFoundButNotOneThatIsOpen) {
  const std::string copy = CopyOfZeroOut("zero_out.so"), other = CopyOfZeroOut("other.so");
  EXPECT_EQ(AddFile(copy), OPSRUN_OK);
  const opsrun_op_info* info = nullptr;
  ASSERT_EQ(opsrun_engine_find_op(engine_, opsrun_str_of("zero_out.ZeroOut"), &info, nullptr), OPSRUN_OK);
  EXPECT_EQ(std::string(info->path.data, info->path.size), copy);
  opsrun_op_info_free(info);
  EXPECT_EQ(AddFile(other), OPSRUN_FAILED_PRECONDITION);
}

TEST_F(EngineTest, AFileThatChangedIsNotAddedAgain) {
  BeginWithoutPlugins();
  const std::string file = CopyOfZeroOut("zero_out.so");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(AddFile(file), OPSRUN_OK);
  std::filesystem::rename(file, file + ".old");
  std::ofstream(file) << "another build, of which only a part is written yet";
  for (const char* said : {"it was replaced after it was loaded", "it was removed after it was loaded"}) {
    opsrun_report* report = nullptr;
    EXPECT_EQ(AddFile(file, &report), OPSRUN_FAILED_PRECONDITION);
    EXPECT_NE(TextOf(opsrun_report_get(report, 0)->message).find(said), std::string::npos);
    EXPECT_EQ(TextOf(opsrun_report_get(report, 0)->help[0]), "restart the process to use what is there now");
    opsrun_report_free(report);
    std::filesystem::remove(file);
  }
}

TEST_F(EngineTest, AFileIsAddedOnceHoweverManyAddIt) {
  BeginWithoutPlugins();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] { EXPECT_EQ(AddFile(kZeroOutFile), OPSRUN_OK); });
  }
  for (std::thread& thread : threads) thread.join();
  opsrun_listing* listing = nullptr;
  ASSERT_EQ(opsrun_engine_list(engine_, &listing), OPSRUN_OK);
  EXPECT_EQ(opsrun_listing_count(listing), 1u);
  opsrun_listing_free(listing);
}

TEST_F(EngineTest, RefusesObjectsThatAreNull) {
  opsrun_graph* graph = nullptr;
  auto* report = reinterpret_cast<opsrun_report*>(&graph);  // whatever stood there before
  EXPECT_EQ(opsrun_graph_load_file(nullptr, opsrun_str_of("g.yaml"), nullptr, &graph, &report),
            OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(report, nullptr);
  EXPECT_EQ(opsrun_graph_run(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(opsrun_prepared_call(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(opsrun_graph_n_feeds(nullptr), 0u);
  EXPECT_EQ(opsrun_graph_find_feed(nullptr, opsrun_str_of("x")), -1);
  EXPECT_EQ(opsrun_prepared_output(nullptr, 0), nullptr);
}

// What a table keeps belongs to its engine; an engine ends while another one runs.
TEST_F(EngineTest, TwoEnginesDoNotKnowEachOther) {
  constexpr char kTable[] =
      "opsrun: 1\nfeeds:\n  key: {dtype: string, shape: [1]}\n  value: {dtype: int64, shape: [1]}\nnodes:\n"
      "  t: {op: HashTable, attrs: {key_dtype: string, value_dtype: int64, shared_name: words}}\n"
      "  put: {op: LookupTableInsert, in: [t, key, value]}\n"
      "  size: {op: LookupTableSize, in: t, after: [put]}\noutputs: [size]\n";
  ASSERT_EQ(Load(kTable), "");
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    while (!done) {
      opsrun_engine* engine = NewEngine();
      opsrun_graph* graph = nullptr;
      if (opsrun_graph_load_text(engine, opsrun_str_of("other"), opsrun_str_of(kTable), nullptr, &graph, nullptr) !=
          OPSRUN_OK) {
        ++wrong;
      }
      opsrun_graph_destroy(graph);
      opsrun_engine_destroy(engine);
    }
  });
  for (int64_t i = 1; i <= 100; ++i) {
    const std::string word = "word " + std::to_string(i);
    opsrun_str key{word.data(), word.size()};
    const int64_t one[] = {1};
    int64_t value = i;
    const opsrun_array keys{&key, one, nullptr, OPSRUN_DT_STRING, 1}, values{&value, one, nullptr, OPSRUN_DT_INT64, 1};
    opsrun_out out{};
    EXPECT_EQ(Run({{nullptr, &keys, 0, 0}, {nullptr, &values, 0, 0}}, &out, 1), "");
    EXPECT_EQ(*static_cast<const int64_t*>(out.array.data), i) << "this engine's table alone";
    opsrun_outs_free(&out, 1);
  }
  done = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace opsrun_test
