// adapters/common/engine.h: the functions of opsrun/embed_host.h for adapters: they throw on failure and own results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

inline std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}
inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// "INVALID_ARGUMENT"
const char* CodeName(int32_t code);

// Replaces bytes that are not valid UTF-8 by U+FFFD, since frameworks decode error messages as UTF-8.
std::string Utf8(const std::string& text);

// The failed subject as text: "input:x output:y" becomes "input x output y".
std::string Blame(std::string subject);

// "output 'parts.0'": an output of an op, by its index with lists flattened.
std::string OutputName(const opsrun_typed_op_info& op, uint32_t i);

// Defined by each adapter: throws an exception that its framework, or its Python part, converts. code: OPSRUN_*, not
// OK.
[[noreturn]] void Throw(int32_t code, const std::string& text);

// The default exception type for Throw.
struct Failure : std::runtime_error {
  Failure(int32_t its_code, const std::string& text) : std::runtime_error(text), code(its_code) {}
  int32_t code;
};

// Frees the report. Unless the code is OPSRUN_OK, throws the messages of all errors; the text begins with `what`.
void Check(int32_t code, opsrun_report* report, const std::string& what);

template <auto free>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    free(object);
  }
};
using OwnedText = std::unique_ptr<opsrun_text, Free<opsrun_text_free>>;
using OwnedTypedOp = std::unique_ptr<opsrun_typed_op, Free<opsrun_typed_op_destroy>>;
using OwnedKernel = std::unique_ptr<opsrun_kernel_object, Free<opsrun_kernel_object_destroy>>;
using OwnedShapes = std::unique_ptr<opsrun_shapes, Free<opsrun_shapes_free>>;
using OwnedGradient = std::unique_ptr<opsrun_gradient, Free<opsrun_gradient_free>>;
using OwnedOpInfo = std::unique_ptr<const opsrun_op_info, Free<opsrun_op_info_free>>;

// These throw on failure; messages begin with `what`.
OwnedKernel MakeKernel(const opsrun_typed_op* op, const std::string& what, const std::string& device = "cpu");
OwnedShapes InferShapes(const opsrun_typed_op* op, const std::vector<opsrun_known_input>& inputs,
                        const std::string& what);
OwnedGradient Differentiate(const opsrun_typed_op* op, const std::vector<opsrun_known_sizes>& shapes,
                            const std::string& what);

// The op as a text for Engine::ReadOp.
std::string ToYaml(const opsrun_typed_op* op);

// Name, path, and ops.
using Plugin = std::tuple<std::string, std::string, std::vector<std::string>>;

// The plugins of the process, and the table that the adapter's calls give to kernels. Copies refer to the same engine,
// which is never destroyed, since frameworks keep registrations until the process ends.
class Engine {
 public:
  // directories: to search for plugins. make_table: as HostTable::Make. All methods throw on failure.
  Engine(const std::vector<std::string>& directories, const opsrun_host* (*make_table)(const opsrun_engine* engine));

  // Opens a plugin file, and returns the plugin's name. ops_file: what completes its ops; empty: the file beside it, if
  // there is one.
  std::string AddPlugin(const std::string& path, const std::string& ops_file) const;
  // All plugins in use.
  std::vector<Plugin> Plugins() const;
  // An op as its plugin declares it. op: "plugin.Op".
  OwnedOpInfo FindOp(const std::string& op) const;
  // The output of `opsrun explain --json`.
  std::string Describe(const std::string& op) const;
  OwnedTypedOp TypeOp(const std::string& op, const std::vector<opsrun_op_input>& inputs,
                      const std::vector<opsrun_attr>& attrs, const std::string& what) const;
  OwnedTypedOp ReadOp(const std::string& yaml, const std::string& what) const;
  const opsrun_host* table() const { return table_; }
  // Another table, for calls of another kind.
  const opsrun_host* MakeTable(const opsrun_host* (*make_table)(const opsrun_engine*)) const {
    return make_table(engine_);
  }

 private:
  opsrun_engine* engine_ = nullptr;
  const opsrun_host* table_ = nullptr;
};

}  // namespace opsrun_adapter
