// tests/vectors/shape_machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/shape_machine.h"

#include <set>
#include <stdexcept>

#include "tests/vectors/values.h"

namespace opsrun::vectors {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

const std::set<std::string>& ShapeOperations() {
  static const std::set<std::string> names = {
      "with_rank", "with_rank_at_least", "with_rank_at_most",
      "merge",     "concatenate",        "replace_dim",
      "subshape",  "shape_from_tensor",  "make_shape_from_shape_tensor_treat_scalar_as_unknown_shape"};
  return names;
}

const std::set<std::string>& DimOperations() {
  static const std::set<std::string> names = {"with_value",
                                              "merge_dim",
                                              "add",
                                              "subtract",
                                              "multiply",
                                              "divide",
                                              "min",
                                              "max",
                                              "dim_of",
                                              "num_elements",
                                              "make_dim_for_scalar_input",
                                              "make_dim_for_scalar_input_with_negative_indexing"};
  return names;
}

}  // namespace

std::string ShapeValue::Text() const {
  return is_shape ? InferenceContext::DebugString(shape) : InferenceContext::DebugString(dim);
}

const Tree& ShapeMachine::Argument(size_t i) const {
  if (i >= arguments_->size()) throw std::runtime_error("the operation has too few arguments");
  return (*arguments_)[i];
}

ShapeHandle ShapeMachine::Shape(size_t i) {
  const std::string& text = Argument(i).AsText();
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
  const std::string& text = Argument(i).AsText();
  const auto found = named_.find(text);
  ShapeValue& value = given_[i];
  if (found != named_.end()) {
    value = found->second;
  } else {
    value.dim = c_.MakeDim(text == "?" ? InferenceContext::kUnknownDim : Argument(i).AsInt());
  }
  if (value.is_shape) throw std::runtime_error("'" + text + "' is no dimension");
  return value.dim;
}

Status ShapeMachine::DoSubshape(ShapeValue* result) {
  const ShapeHandle s = Shape(0);
  if (arguments_->size() == 2) return c_.Subshape(s, Int(1), &result->shape);
  if (arguments_->size() == 3) return c_.Subshape(s, Int(1), Int(2), &result->shape);
  return c_.Subshape(s, Int(1), Int(2), Int(3), &result->shape);
}

Status ShapeMachine::DoWithShape(const std::string& operation, ShapeValue* result) {
  result->is_shape = true;
  if (operation == "shape_from_tensor") return c_.MakeShapeFromShapeTensor(0, &result->shape);
  if (operation == "make_shape_from_shape_tensor_treat_scalar_as_unknown_shape") {
    return c_.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &result->shape);
  }
  if (operation == "subshape") return DoSubshape(result);
  const ShapeHandle s = Shape(0);
  if (operation == "with_rank") return c_.WithRank(s, Int(1), &result->shape);
  if (operation == "with_rank_at_least") return c_.WithRankAtLeast(s, Int(1), &result->shape);
  if (operation == "with_rank_at_most") return c_.WithRankAtMost(s, Int(1), &result->shape);
  if (operation == "replace_dim") return c_.ReplaceDim(s, Int(1), Dim(2), &result->shape);
  const ShapeHandle t = Shape(1);
  return operation == "merge" ? c_.Merge(s, t, &result->shape) : c_.Concatenate(s, t, &result->shape);
}

Status ShapeMachine::DoWithDim(const std::string& operation, ShapeValue* result) {
  if (operation == "dim_of" || operation == "num_elements") {
    const ShapeHandle s = Shape(0);
    result->dim = operation == "dim_of" ? c_.Dim(s, Int(1)) : c_.NumElements(s);
    return Status::OK();
  }
  if (operation == "make_dim_for_scalar_input") return c_.MakeDimForScalarInput(0, &result->dim);
  if (operation == "make_dim_for_scalar_input_with_negative_indexing") {
    return c_.MakeDimForScalarInputWithNegativeIndexing(0, static_cast<int>(Int(1)), &result->dim);
  }
  const DimensionHandle d = Dim(0);
  if (operation == "with_value") return c_.WithValue(d, Int(1), &result->dim);
  const DimensionHandle e = Dim(1);
  if (operation == "divide") return c_.Divide(d, e, Argument(2).AsBool(), &result->dim);
  if (operation == "merge_dim") return c_.Merge(d, e, &result->dim);
  if (operation == "add") return c_.Add(d, e, &result->dim);
  if (operation == "subtract") return c_.Subtract(d, e, &result->dim);
  if (operation == "multiply") return c_.Multiply(d, e, &result->dim);
  return operation == "min" ? c_.Min(d, e, &result->dim) : c_.Max(d, e, &result->dim);
}

// What cannot fail.
ShapeValue ShapeMachine::Make(const std::string& operation) {
  ShapeValue made;
  made.is_shape = operation != "dim" && operation != "unknown_dim";
  if (operation == "dim") {
    made.dim = Dim(0);
  } else if (operation == "unknown_dim") {
    made.dim = c_.UnknownDim();
  } else if (operation == "shape") {
    made.shape = Shape(0);
  } else if (operation == "vector") {
    made.shape = c_.Vector(Dim(0));
  } else if (operation == "matrix") {
    made.shape = c_.Matrix(Dim(0), Dim(1));
  } else if (operation == "scalar") {
    made.shape = c_.Scalar();
  } else if (operation == "unknown_shape") {
    made.shape = c_.UnknownShape();
  } else if (operation == "unknown_shape_of_rank") {
    made.shape = c_.UnknownShapeOfRank(Int(0));
  } else if (operation != "unset") {
    throw std::runtime_error("there is no operation '" + operation + "'");
  }
  return made;
}

Status ShapeMachine::Do(const std::string& operation, const std::vector<Tree>& arguments,
                        std::vector<ShapeValue>* results) {
  arguments_ = &arguments;
  given_.clear();
  *results = {{}};
  ShapeValue* result = results->data();
  if (ShapeOperations().count(operation) > 0) return DoWithShape(operation, result);
  if (DimOperations().count(operation) > 0) return DoWithDim(operation, result);
  if (operation != "merge_prefix") {
    *result = Make(operation);
    return Status::OK();
  }
  *results = {{true, {}, {}}, {true, {}, {}}};
  const ShapeHandle s = Shape(0), prefix = Shape(1);
  return c_.MergePrefix(s, prefix, &(*results)[0].shape, &(*results)[1].shape);
}

}  // namespace opsrun::vectors
