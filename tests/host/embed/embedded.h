// tests/host/embed/embedded.h: engines with the bundled plugins, and what calls of the C++ layer give and throw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "opsrun/embed.hpp"

namespace opsrun_test {

using namespace opsrun::embed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int32_t kFloat = OPSRUN_DT_FLOAT, kInt32 = OPSRUN_DT_INT32, kInt64 = OPSRUN_DT_INT64;

inline Engine EngineOf(std::vector<std::string> plugins, uint64_t memory_limit = 0) {
  EngineOptions options;
  options.plugins = std::move(plugins);
  options.default_plugins = false;
  options.threads = 2;
  options.memory_limit = memory_limit;
  return Engine(options);
}
inline Engine Bundled(uint64_t memory_limit = 0) {
  return EngineOf({OPSRUN_BUNDLED_PLUGINS}, memory_limit);
}

template <typename T = int32_t>
std::vector<T> All(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.size()};
}

// "G201 6:9 G212 7:3 ": codes and places.
inline std::string CodesOf(const Report& report) {
  std::string codes;
  for (uint32_t i = 0; i < report.size(); ++i) {
    const opsrun_place& where = report[i].where;
    codes += std::string(Text(report[i].code)) + " ";
    if (where.line != 0) codes += std::to_string(where.line) + ":" + std::to_string(where.column) + " ";
  }
  return codes;
}

// The error that `call` throws.
template <typename Call>
Error ErrorOf(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return Error(OPSRUN_OK, Report());
}
template <typename Call>
std::string Refusal(Call call, int32_t code = OPSRUN_INVALID_ARGUMENT) {
  const Error error = ErrorOf(call);
  EXPECT_EQ(error.code(), code) << error.what();
  return CodesOf(error.report());
}

inline constexpr char kZeroOut[] =
    "opsrun: 1\nfeeds:\n  x: {dtype: int32, shape: [-1]}\nnodes:\n  z: {op: ZeroOut, in: x}\noutputs: [z]\n";

inline Graph GraphOf(const std::string& yaml) {
  return Bundled().LoadText("test.yaml", yaml);
}
inline Graph ZeroOut() {
  return GraphOf(kZeroOut);
}

}  // namespace opsrun_test
