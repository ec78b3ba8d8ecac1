// host/plugin/ops_file.h: the file NAME.opsrun.yaml beside a plugin NAME.so, which gives its ops what their sources
// lack: gradients, shapes and documentation. docs/port_a_tensorflow_op.md describes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plugin/plugin.h"
#include "host/yaml/value.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// "plugins/my_op.opsrun.yaml" for "plugins/my_op.so".
std::string OpsFileOf(const std::string& plugin);

// Reads the file and completes the plugin's ops. Returns why it is refused; the ops are then unchanged, but the plugin
// must not be used without what is missing. look: whether others may be able to change the file, and which
// keys must have signed it.
std::optional<Refusal> AddOpsFile(const std::string& path, const LookOptions& look, Plugin& plugin);

// Completes the ops as the text says. Errors are P109 and those of YAML, each with its place. A gradient is only
// checked to be a map; the rest is checked when it is requested, like one in the plugin.
void AddOps(const std::shared_ptr<const SourceFile>& source, Plugin& plugin, Diagnostics& diagnostics);

// What an op requires of the shapes of its inputs, and the shapes of its outputs, computed from those and from its
// attrs. Read-only after construction.
class ShapeRule {
 public:
  // rules: a map from names of inputs and outputs. Null, and at least one error P109, if it is invalid. op is only read
  // here.
  static std::shared_ptr<const ShapeRule> Read(const Value& rules, const spec::OpDef& op, Reporter& reporter);

  // A shape function as in c_api.h, whose context is a ShapeRule.
  static int32_t Infer(void* rule, opsrun_shape_call* call);

  // A step of a computation with a stack of sizes.
  struct Number {
    int64_t value = 0;  // -1: unknown
  };
  struct DimOfInput {
    uint32_t arg = 0, element = 0;  // element: of a list; 0 for a tensor
    int64_t axis = 0;               // negative: from the end
  };
  struct Attr {
    uint32_t index = 0;
    std::optional<uint32_t> element;  // of a list
  };
  struct Operator {
    uint32_t op = 0;  // OPSRUN_DIM_* or kCeilDiv: replaces the two sizes on top by one
  };
  static constexpr uint32_t kCeilDiv = OPSRUN_DIM_MAX + 1;
  using Step = std::variant<Number, DimOfInput, Attr, Operator>;
  using Size = std::vector<Step>;

  // The shape of an input or output, or of each tensor of a list.
  struct ArgShape {
    uint32_t arg = 0;
    std::optional<uint32_t> like;  // the shape of this input; else `sizes`
    std::vector<Size> sizes;
  };

 private:
  std::vector<ArgShape> inputs_;  // what the op requires
  std::vector<ArgShape> outputs_;
};

}  // namespace opsrun::host
