// tests/vectors/shape_machine.cc
// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/shape_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/plugin/load.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op_kernel.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

// Of the SDK and the plugin.
constexpr std::pair<std::string_view, std::string_view> kKinds[] = {{"must be at least rank", "rank_at_least"},
                                                                    {"must be at most rank", "rank_at_most"},
                                                                    {"must be rank", "rank"},
                                                                    {"A shape cannot have rank", "rank"},
                                                                    {"there may be", "rank"},
                                                                    {"is given by a vector", "rank"},
                                                                    {"must have a row for each", "rank"},
                                                                    {"must have the same rank", "rank_mismatch"},
                                                                    {"must be equal", "dim_mismatch"},
                                                                    {"cannot be broadcast", "dim_mismatch"},
                                                                    {"cannot be concatenated", "rank"},
                                                                    {"has no dimension", "range"},
                                                                    {"has no axis", "range"},
                                                                    {"has an axis", "range"},
                                                                    {"overflows", "overflow"},
                                                                    {"is too large", "overflow"},
                                                                    {"must not be negative", "negative_padding"},
                                                                    {"is negative", "negative"},
                                                                    {"must be 0 or more", "negative"},
                                                                    {"the divisor must be above 0", "divisor"},
                                                                    {"must be a multiple of", "not_divisible"},
                                                                    {"below -1", "shape_tensor_value"},
                                                                    {"Dimension must be", "value"},
                                                                    {"A dimension cannot have size", "value"}};

// The plugin pad says one thing of a wrong rank and of a wrong number of columns, and what shape it got.
constexpr std::string_view kColumns = "must be a matrix of 2 columns, but its shape is ";

spec::OpDef OpWith(size_t inputs) {
  spec::OpStrings strings;
  strings.name = "Op";
  strings.attrs = {"transpose_a: bool = false", "transpose_b: bool = false"};
  for (size_t i = 0; i < inputs; ++i) strings.inputs.push_back(fmt::format("x{}: float", i));
  strings.outputs = {"y: float"};
  spec::OpDef op;
  if (!ParseOp(strings, &op).empty()) throw std::runtime_error("the test's own op is refused");
  return op;
}

// Of the value where there is one; else some that the op takes: shape functions do not look at them.
std::vector<std::optional<spec::InputTypes>> TypesFor(const spec::OpDef& op, const std::vector<ShapeInput>& inputs) {
  std::vector<std::optional<spec::InputTypes>> types;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const spec::AttrDef* attr = op.FindAttr(op.inputs[i].type_attr);
    host::DType dtype = host::DType::kFloat32;
    if (attr != nullptr && !attr->allowed_types.empty()) dtype = attr->allowed_types[0];
    if (attr != nullptr && inputs[i].value != nullptr) dtype = inputs[i].value->dtype();
    types.push_back(spec::InputTypes{false, {dtype}});
  }
  return types;
}

using RawFunction = int32_t (*)(void*, opsrun_shape_call*);

// The plugin pad of the build folder, opened at the first call, as a run opens it. Throws if it is refused.
const host::LoadResult& PadPlugin() {
  static const host::LoadResult loaded = host::LoadFile(OPSRUN_PAD_PLUGIN, host::HostTable());
  if (!loaded.refused.empty()) throw std::runtime_error(loaded.refused[0].refusal.reason);
  return loaded;
}

ShapeResult Call(const spec::OpDef& op, RawFunction function, void* context, spec::ShapeEngine& engine,
                 const std::vector<ShapeInput>& inputs) {
  const spec::Inference inference = InferAttrs(op, TypesFor(op, inputs), {});
  if (!inference.ok()) throw std::runtime_error(inference.errors[0].message);
  const spec::Signature& signature = inference.signature;
  const host::CallArrays arrays(op, signature, {}, host::HostTable());
  std::vector<const opsrun_shape*> shapes;
  std::vector<const host::Tensor*> values;
  for (const ShapeInput& input : inputs) {
    shapes.push_back(input.shape);
    values.push_back(input.value);
  }
  host::ShapeCall call(host::HostTable(), arrays, engine, std::move(shapes), std::move(values), 1);
  host::Status status = call.Run(function, context, signature.out_types);
  // A case that cannot be read is no refusal.
  if (status.code() == OPSRUN_INTERNAL) throw std::runtime_error(status.message());
  return {std::move(status), call.output(0)};
}

}  // namespace

ShapeResult CallShapeFunction(const ShapeFunction& function, spec::ShapeEngine& engine,
                              const std::vector<ShapeInput>& inputs) {
  ShapeFunction copy = function;
  return Call(OpWith(inputs.size()), &internal::ShapeTrampoline<ShapeFunction>, &copy, engine, inputs);
}

ShapeResult CallPadShape(const std::string& op, spec::ShapeEngine& engine, const std::vector<ShapeInput>& inputs) {
  const host::RegisteredOp* found = PadPlugin().registry.FindOp(op);
  if (found == nullptr) throw std::runtime_error("the plugin has no op '" + op + "'");
  if (inputs.size() != found->def.inputs.size()) throw std::runtime_error(op + " has another number of inputs");
  return Call(found->def, found->shape, found->shape_ctx, engine, inputs);
}

const opsrun_shape* EngineShape(spec::ShapeEngine& engine, const spec::PartialShape& shape) {
  return shape.rank_known ? engine.FromSizes(shape.dims) : engine.Unknown();
}

std::string ShapeErrorKind(const std::string& message) {
  const size_t columns = message.find(kColumns);
  if (columns != std::string::npos) {
    const spec::PartialShape shape = PartialShapeOf(message.substr(columns + kColumns.size()));
    return shape.dims.size() == 2 ? "value" : "rank";
  }
  return KindOf(kKinds, message);
}

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status RowsByThree(InferenceContext* c) {
  c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 3));
  return Status::OK();
}

Status MergeAllRank2(InferenceContext* c) {
  ShapeHandle all;
  for (int i = 0; i < c->num_inputs(); ++i) {
    ShapeHandle matrix;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 2, &matrix));
    TF_RETURN_IF_ERROR(c->Merge(all, matrix, &all));
  }
  c->set_output(0, all);
  return Status::OK();
}

}  // namespace

ShapeFunction NamedShapeFunction(const std::string& name) {
  static const std::map<std::string, ShapeFunction> functions = {
      {"unchanged", shape_inference::UnchangedShape},
      {"merge_both", shape_inference::MergeBothInputsShapeFn},
      {"broadcast", shape_inference::BroadcastBinaryOpShapeFn},
      {"matmul", shape_inference::MatMulShape},
      {"rows_by_three", RowsByThree},
      {"merge_all_rank2", MergeAllRank2}};
  const auto found = functions.find(name);
  if (found != functions.end()) return found->second;
  const std::string_view of_rank = "unchanged_rank";  // and a digit
  if (name.size() != of_rank.size() + 1 || !name.starts_with(of_rank)) return {};
  return [rank = name.back() - '0'](InferenceContext* c) { return shape_inference::UnchangedShapeWithRank(c, rank); };
}

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
