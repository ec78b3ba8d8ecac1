// tests/vectors/shape_machine.h: shape functions and single operations of shape inference, by their names in vectors,
// with the SDK's context on the host's engine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/plan/call_arrays.h"
#include "host/spec/shape_engine.h"
#include "opsrun/shape_inference.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {

using ShapeFunction = std::function<Status(shape_inference::InferenceContext*)>;

struct ShapeInput {
  const opsrun_shape* shape = nullptr;
  const host::Tensor* value = nullptr;  // null: not known
};

// One call of a shape function, with one output.
struct ShapeResult {
  host::Status status;
  const opsrun_shape* output = nullptr;  // null: not set
};

// Attrs have their defaults. CallPadShape is for the shape functions of the plugin.
ShapeResult CallShapeFunction(const ShapeFunction& function, host::spec::ShapeEngine& engine,
                              const std::vector<ShapeInput>& inputs);
ShapeResult CallPadShape(const std::string& op, host::spec::ShapeEngine& engine, const std::vector<ShapeInput>& inputs);

const opsrun_shape* EngineShape(host::spec::ShapeEngine& engine, const host::spec::PartialShape& shape);

// The vectors' word for what a message says; the message itself if there is none.
std::string ShapeErrorKind(const std::string& message);

// "broadcast", "unchanged_rank2"; empty if there is none of that name.
ShapeFunction NamedShapeFunction(const std::string& name);

// A shape or a dimension.
struct ShapeValue {
  bool is_shape = false;
  shape_inference::ShapeHandle shape;
  shape_inference::DimensionHandle dim;

  std::string Text() const;
  size_t Handle() const { return is_shape ? shape.Handle() : dim.Handle(); }  // 0: unset
};

// Runs single operations on one context, which outlives it.
class ShapeMachine {
 public:
  explicit ShapeMachine(shape_inference::InferenceContext& context) : c_(context) {}

  // Arguments that are names of earlier results stand for these; other shapes and dimensions are spelled out.
  // "shape_from_tensor" reads the value of input 0. Throws for an operation that there is not and for arguments that do
  // not fit it.
  Status Do(const std::string& operation, const std::vector<Tree>& arguments, std::vector<ShapeValue>* results);

  // For later operations.
  void Keep(const std::string& name, const ShapeValue& value) { named_[name] = value; }

  // The shapes and dimensions that the last operation was given, by its arguments' places.
  const std::map<size_t, ShapeValue>& given() const { return given_; }

 private:
  Status Subshape(shape_inference::ShapeHandle* result);

  const Tree& Argument(size_t i) const;
  shape_inference::ShapeHandle Shape(size_t i);
  shape_inference::DimensionHandle Dim(size_t i);
  int64_t Int(size_t i) const { return IntOf(Argument(i)); }

  shape_inference::InferenceContext& c_;
  std::map<std::string, ShapeValue> named_;
  std::map<size_t, ShapeValue> given_;
  const std::vector<Tree>* arguments_ = nullptr;
};

}  // namespace opsrun::vectors
