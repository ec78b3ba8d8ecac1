// tests/host/embed/embedded.h: engines with the bundled plugins, and what calls of the C++ layer and of
// opsrun/embed_host.h give and throw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include "opsrun/embed.hpp"
#include "opsrun/embed_host.h"

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

class TypedOpTest : public testing::Test {
 protected:
  ~TypedOpTest() override {
    opsrun_gradient_free(gradient_);
    opsrun_shapes_free(shapes_);
    opsrun_kernel_object_destroy(kernel_);
    opsrun_typed_op_destroy(typed_);
  }

  static opsrun_op_input Input(const char* arg, int32_t dtype, uint32_t list = 0) {
    return {Str(arg), dtype, 0, nullptr, list, 0};
  }

  // The codes of the report of this call.
  template <typename Function, typename... Args>
  std::string Codes(Function function, Args... args) {
    opsrun_report* given = nullptr;
    code_ = function(args..., &given);
    const Report report(given);
    if (!report.empty()) message_ = Text(report[0].message);
    return CodesOf(report);
  }
  template <typename T>
  static uint32_t Count(const std::vector<T>& list) {
    return static_cast<uint32_t>(list.size());
  }
  // The op is typed_.
  std::string Type(const char* op, const std::vector<opsrun_op_input>& inputs, const std::vector<Attr>& attrs = {}) {
    opsrun_typed_op_destroy(std::exchange(typed_, nullptr));
    const std::vector<opsrun_attr> values = opsrun::embed::detail::AttrsOf(attrs);
    return Codes(opsrun_engine_type_op, engine_.get(), Str(op), inputs.data(), Count(inputs), values.data(),
                 Count(values), &typed_);
  }
  std::string Read(const std::string& yaml) {
    opsrun_typed_op_destroy(std::exchange(typed_, nullptr));
    return Codes(opsrun_engine_read_op, engine_.get(), Str(yaml), &typed_);
  }
  static std::string Written(const opsrun_typed_op* typed) {
    return opsrun::embed::detail::TextFrom<opsrun_typed_op_to_yaml>(typed);
  }
  std::string Infer(const std::vector<opsrun_known_input>& inputs) {
    opsrun_shapes_free(std::exchange(shapes_, nullptr));
    return Codes(opsrun_typed_op_infer, typed_, inputs.data(), Count(inputs), &shapes_);
  }
  // The sizes of the first output.
  std::string Inferred(const std::vector<opsrun_known_input>& inputs) {
    const std::string codes = Infer(inputs);
    return codes.empty() ? ListText(opsrun_shapes_get(shapes_)->outputs[0]) : codes;
  }
  std::string Differentiate(const std::vector<opsrun_known_sizes>& shapes = {}) {
    opsrun_gradient_free(std::exchange(gradient_, nullptr));
    return Codes(opsrun_typed_op_differentiate, typed_, shapes.data(), Count(shapes), &gradient_);
  }
  std::string MakeKernel(const char* device) {
    opsrun_prepare_options options{};
    options.size = sizeof(options);
    options.device = Str(device);
    return Codes(opsrun_typed_op_make_kernel, typed_, &options, &kernel_);
  }
  // The gradient of an op, without known shapes.
  const opsrun_gradient_info& GradientOf(const char* op, const std::vector<opsrun_op_input>& inputs,
                                         const std::vector<Attr>& attrs = {}) {
    EXPECT_EQ(Type(op, inputs, attrs), "");
    EXPECT_EQ(Differentiate(), "");
    return *opsrun_gradient_get(gradient_);
  }
  std::string CallName(uint32_t i) const {
    return std::string(Text(opsrun_typed_op_get(opsrun_gradient_get(gradient_)->calls[i].op)->name));
  }
  // "3", "x0[1]" for dimension 1 of input 0, "v0[1]" for an element, "(a + b)", "?"
  std::string SizeText(uint32_t i) const {
    const opsrun_size& size = opsrun_shapes_get(shapes_)->sizes[i];
    const auto place = [&](const char* what) {
      return what + std::to_string(size.a) + "[" + std::to_string(size.b) + "]";
    };
    if (size.kind == OPSRUN_SIZE_KNOWN) return std::to_string(size.value);
    if (size.kind == OPSRUN_SIZE_INPUT) return place("x");
    if (size.kind == OPSRUN_SIZE_ELEMENT) return place("v");
    if (size.kind == OPSRUN_SIZE_UNKNOWN) return "?";
    return "(" + SizeText(size.a) + " " + "+-*/<>"[size.kind - OPSRUN_SIZE_OP] + " " + SizeText(size.b) + ")";
  }
  // "2, x0[1]"
  std::string ListText(const opsrun_size_list& list) const {
    std::string text;
    for (int32_t i = 0; i < list.rank; ++i) text += (i == 0 ? "" : ", ") + SizeText(list.sizes[i]);
    return text;
  }

  Engine engine_ = Bundled();
  opsrun_typed_op* typed_ = nullptr;
  opsrun_kernel_object* kernel_ = nullptr;
  opsrun_shapes* shapes_ = nullptr;
  opsrun_gradient* gradient_ = nullptr;
  int32_t code_ = OPSRUN_OK;
  std::string message_;  // of the last error
};

// They are borrowed from the arguments, which end with the statement.
inline opsrun_known_sizes Sizes(const std::vector<int64_t>& sizes, const std::vector<uint32_t>& symbols = {}) {
  return {static_cast<int32_t>(sizes.size()), 0, sizes.data(), symbols.empty() ? nullptr : symbols.data()};
}
inline constexpr opsrun_known_sizes kNothing = {-1, 0, nullptr, nullptr};
inline opsrun_known_input Known(const std::vector<int64_t>& sizes, const std::vector<uint32_t>& symbols = {}) {
  return {Sizes(sizes, symbols), nullptr, kNothing};
}

}  // namespace opsrun_test
