// tests/vectors/shape_machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/shape_machine.h"

#include <stdexcept>

#include "tests/vectors/values.h"

namespace opsrun::vectors {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

std::string ShapeValue::Text() const {
  return is_shape ? InferenceContext::DebugString(shape) : InferenceContext::DebugString(dim);
}

const Tree& ShapeMachine::Argument(size_t i) const {
  if (i >= arguments_->size()) throw std::runtime_error("the operation has too few arguments");
  return (*arguments_)[i];
}

ShapeHandle ShapeMachine::Shape(size_t i) {
  const std::string& text = TextOf(Argument(i));
  const auto found = named_.find(text);
  ShapeValue& value = given_[i];
  value.is_shape = true;
  if (found != named_.end()) {
    value = found->second;
  } else if (const host::spec::PartialShape shape = PartialShapeOf(text); !shape.rank_known) {
    value.shape = c_.UnknownShape();
  } else {
    std::vector<DimensionHandle> dims;
    for (int64_t size : shape.dims) dims.push_back(c_.MakeDim(size));
    value.shape = c_.MakeShape(dims);
  }
  if (!value.is_shape) throw std::runtime_error("'" + text + "' is no shape");
  return value.shape;
}

DimensionHandle ShapeMachine::Dim(size_t i) {
  const std::string& text = TextOf(Argument(i));
  const auto found = named_.find(text);
  ShapeValue& value = given_[i];
  if (found != named_.end()) {
    value = found->second;
  } else {
    value.dim = c_.MakeDim(text == "?" ? InferenceContext::kUnknownDim : IntOf(host::PlainValue(text)));
  }
  if (value.is_shape) throw std::runtime_error("'" + text + "' is no dimension");
  return value.dim;
}

Status ShapeMachine::Subshape(ShapeHandle* result) {
  const ShapeHandle s = Shape(0);
  if (arguments_->size() == 2) return c_.Subshape(s, Int(1), result);
  if (arguments_->size() == 3) return c_.Subshape(s, Int(1), Int(2), result);
  return c_.Subshape(s, Int(1), Int(2), Int(3), result);
}

Status ShapeMachine::Do(const std::string& operation, const std::vector<Tree>& arguments,
                        std::vector<ShapeValue>* results) {
  using M = ShapeMachine;
  using S = ShapeHandle;
  using D = DimensionHandle;
  static const std::map<std::string, Status (*)(M&, S*)> shapes = {
      {"with_rank", [](M& m, S* s) { return m.c_.WithRank(m.Shape(0), m.Int(1), s); }},
      {"with_rank_at_least", [](M& m, S* s) { return m.c_.WithRankAtLeast(m.Shape(0), m.Int(1), s); }},
      {"with_rank_at_most", [](M& m, S* s) { return m.c_.WithRankAtMost(m.Shape(0), m.Int(1), s); }},
      {"merge", [](M& m, S* s) { return m.c_.Merge(m.Shape(0), m.Shape(1), s); }},
      {"concatenate", [](M& m, S* s) { return m.c_.Concatenate(m.Shape(0), m.Shape(1), s); }},
      {"replace_dim", [](M& m, S* s) { return m.c_.ReplaceDim(m.Shape(0), m.Int(1), m.Dim(2), s); }},
      {"subshape", [](M& m, S* s) { return m.Subshape(s); }},
      {"shape_from_tensor", [](M& m, S* s) { return m.c_.MakeShapeFromShapeTensor(0, s); }},
      {"shape", [](M& m, S* s) { return *s = m.Shape(0), Status(); }},
      {"vector", [](M& m, S* s) { return *s = m.c_.Vector(m.Dim(0)), Status(); }},
      {"matrix", [](M& m, S* s) { return *s = m.c_.Matrix(m.Dim(0), m.Dim(1)), Status(); }},
      {"scalar", [](M& m, S* s) { return *s = m.c_.Scalar(), Status(); }},
      {"unknown_shape", [](M& m, S* s) { return *s = m.c_.UnknownShape(), Status(); }},
      {"unset", [](M&, S*) { return Status(); }}};
  static const std::map<std::string, Status (*)(M&, D*)> dims = {
      {"with_value", [](M& m, D* d) { return m.c_.WithValue(m.Dim(0), m.Int(1), d); }},
      {"merge_dim", [](M& m, D* d) { return m.c_.Merge(m.Dim(0), m.Dim(1), d); }},
      {"add", [](M& m, D* d) { return m.c_.Add(m.Dim(0), m.Dim(1), d); }},
      {"subtract", [](M& m, D* d) { return m.c_.Subtract(m.Dim(0), m.Dim(1), d); }},
      {"multiply", [](M& m, D* d) { return m.c_.Multiply(m.Dim(0), m.Dim(1), d); }},
      {"divide", [](M& m, D* d) { return m.c_.Divide(m.Dim(0), m.Dim(1), BoolOf(m.Argument(2)), d); }},
      {"min", [](M& m, D* d) { return m.c_.Min(m.Dim(0), m.Dim(1), d); }},
      {"max", [](M& m, D* d) { return m.c_.Max(m.Dim(0), m.Dim(1), d); }},
      {"dim_of", [](M& m, D* d) { return *d = m.c_.Dim(m.Shape(0), m.Int(1)), Status(); }},
      {"num_elements", [](M& m, D* d) { return *d = m.c_.NumElements(m.Shape(0)), Status(); }},
      {"dim", [](M& m, D* d) { return *d = m.Dim(0), Status(); }}};
  arguments_ = &arguments;
  given_.clear();
  *results = {{}};
  ShapeValue& result = results->front();
  if (const auto found = dims.find(operation); found != dims.end()) return found->second(*this, &result.dim);
  result.is_shape = true;
  if (const auto found = shapes.find(operation); found != shapes.end()) return found->second(*this, &result.shape);
  if (operation != "merge_prefix") throw std::runtime_error("there is no operation '" + operation + "'");
  *results = {{true, {}, {}}, {true, {}, {}}};
  return c_.MergePrefix(Shape(0), Shape(1), &(*results)[0].shape, &(*results)[1].shape);
}

}  // namespace opsrun::vectors
