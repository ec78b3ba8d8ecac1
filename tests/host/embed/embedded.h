// tests/host/embed/embedded.h: an engine with the bundled plugins, behind the C interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/embed.h"

namespace opsrun_test {

inline std::string TextOf(opsrun_str text) {
  return text.size == 0 ? "" : std::string(text.data, text.size);
}

// "G201 6:9 G212 7:3 ": codes and places of a report, which it frees.
inline std::string CodesOf(opsrun_report* report) {
  std::string codes;
  for (uint32_t i = 0; i < opsrun_report_count(report); ++i) {
    const opsrun_diagnostic& d = *opsrun_report_get(report, i);
    codes += TextOf(d.code) + " ";
    if (d.where.line != 0) codes += std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + " ";
  }
  opsrun_report_free(report);
  return codes;
}

// An array of int32 that lives in the test.
class Ints {
 public:
  Ints(std::vector<int64_t> shape, std::vector<int32_t> values)
      : shape_(std::move(shape)),
        values_(std::move(values)),
        array_{values_.data(), shape_.data(), nullptr, OPSRUN_DT_INT32, static_cast<int32_t>(shape_.size())} {}
  Ints(const Ints&) = delete;

  opsrun_in in() const { return {nullptr, &array_, 0, 0}; }
  opsrun_array& array() { return array_; }
  std::vector<int32_t>& values() { return values_; }

 private:
  std::vector<int64_t> shape_;
  std::vector<int32_t> values_;
  opsrun_array array_;
};

inline std::vector<int32_t> ValuesOf(const opsrun_out& out) {
  EXPECT_EQ(out.array.dtype, OPSRUN_DT_INT32);
  int64_t n = 1;
  for (int32_t i = 0; i < out.array.rank; ++i) n *= out.array.shape[i];
  const auto* data = static_cast<const int32_t*>(out.array.data);
  return {data, data + n};
}

inline opsrun_attr IntAttr(const char* name, int64_t value) {
  opsrun_attr attr{};
  attr.name = opsrun_str_of(name);
  attr.kind = OPSRUN_ATTR_INT;
  attr.count = 1;
  attr.v.i = value;
  return attr;
}

class Embedded : public testing::Test {
 protected:
  void SetUp() override { engine_ = NewEngine(); }
  ~Embedded() override {
    opsrun_graph_destroy(graph_);
    opsrun_engine_destroy(engine_);
  }

  static opsrun_engine* NewEngine(uint64_t memory_limit = 0) {
    const opsrun_str plugins[] = {opsrun_str_of(OPSRUN_BUNDLED_PLUGINS)};
    opsrun_engine_options options{};
    options.size = sizeof(options);
    options.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
    options.plugins = plugins;
    options.n_plugins = 1;
    options.threads = 2;
    options.memory_limit = memory_limit;
    opsrun_engine* engine = nullptr;
    EXPECT_EQ(opsrun_engine_create(&options, &engine, nullptr), OPSRUN_OK);
    return engine;
  }

  void BeginWithoutPlugins() {
    opsrun_engine_options options{};
    options.size = sizeof(options);
    options.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
    opsrun_engine_destroy(engine_);
    ASSERT_EQ(opsrun_engine_create(&options, &engine_, nullptr), OPSRUN_OK);
  }

  // The codes of the report; the graph is graph_.
  std::string Load(const std::string& text) {
    opsrun_graph_destroy(graph_);
    opsrun_report* report = nullptr;
    opsrun_graph_load_text(engine_, opsrun_str_of("test.yaml"), {text.data(), text.size()}, nullptr, &graph_, &report);
    return CodesOf(report);
  }

  std::string Run(std::initializer_list<opsrun_in> feeds, opsrun_out* outs, uint32_t n_outs,
                  int32_t expected = OPSRUN_OK, opsrun_stop* stop = nullptr) {
    opsrun_report* report = nullptr;
    EXPECT_EQ(opsrun_graph_run(graph_, feeds.begin(), static_cast<uint32_t>(feeds.size()), outs, n_outs, stop, &report),
              expected);
    return CodesOf(report);
  }

  // What the only output of a run is.
  std::vector<int32_t> Results(std::initializer_list<opsrun_in> feeds) {
    opsrun_out out{};
    EXPECT_EQ(Run(feeds, &out, 1), "");
    std::vector<int32_t> values = ValuesOf(out);
    opsrun_outs_free(&out, 1);
    return values;
  }
  // The codes of a run that refuses its feeds.
  std::string Refusal(std::initializer_list<opsrun_in> feeds) {
    opsrun_out out{};
    return Run(feeds, &out, 1, OPSRUN_INVALID_ARGUMENT);
  }

  opsrun_engine* engine_ = nullptr;
  opsrun_graph* graph_ = nullptr;
};

inline constexpr char kZeroOut[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\noutputs: [z]\n";

}  // namespace opsrun_test
