// tests/vectors/shape_call.h: shape functions and single operations of shape inference, with the SDK's context on the
// host's engine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/plan/infer_shapes.h"
#include "host/spec/shape_engine.h"
#include "opsrun/shape_inference.h"
#include "tests/vectors/yaml_tree.h"

namespace opsrun::vectors {

using ShapeFunction = std::function<Status(shape_inference::InferenceContext*)>;

struct ShapeInput {
  const opsrun_shape* shape = nullptr;
  const host::Tensor* value = nullptr;  // null: not known
};

// One call of a shape function, with one output.
struct ShapeAnswer {
  host::Status status;
  const opsrun_shape* output = nullptr;  // null: not set
};

// Attrs have their defaults. CallPadShape is for the shape functions of the plugin.
ShapeAnswer CallShapeFunction(const ShapeFunction& function, host::spec::ShapeEngine& engine,
                              const std::vector<ShapeInput>& inputs);
ShapeAnswer CallPadShape(const std::string& op, host::spec::ShapeEngine& engine, const std::vector<ShapeInput>& inputs);

// The engine's shape for "[2,?]" or "?".
const opsrun_shape* EngineShape(host::spec::ShapeEngine& engine, const std::string& text);

// The vectors' word for what a message says; the message itself if there is none.
std::string ShapeErrorKind(const std::string& message);

// "broadcast", "unchanged_rank2"; empty if there is none of that name.
ShapeFunction NamedShapeFunction(const std::string& name);

}  // namespace opsrun::vectors
