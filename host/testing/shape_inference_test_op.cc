// host/testing/shape_inference_test_op.cc: calls an op's shape function as planning does.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/call_arrays.h"
#include "host/spec/infer_attrs.h"
#include "host/testing/made_graph.h"
#include "host/testing/shape_answer.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using Given = std::map<std::string, spec::AttrValue>;

// Infers the types of a node's inputs when only their shapes are given.
class Types {
 public:
  Types(const spec::OpDef& op, const Given& given, const std::vector<DType>& value_types)
      : op_(op), given_(given), value_types_(value_types) {}

  // One entry per argument, as InferAttrs expects.
  Result<std::vector<std::optional<spec::InputTypes>>> OfAll() {
    const Result<std::vector<int64_t>> lengths = Lengths();
    if (!lengths.ok()) return lengths.status();
    size_t first = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      for (int64_t left = (*lengths)[i]; left > 0; --left, ++first) {
        if (value_types_[first] != DType::kInvalid) of_attr_.emplace(op_.inputs[i].type_attr, value_types_[first]);
      }
    }
    std::vector<std::optional<spec::InputTypes>> types;
    first = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      spec::InputTypes& of_arg = *types.emplace_back(spec::InputTypes{op_.inputs[i].is_list(), {}});
      const auto length = static_cast<size_t>((*lengths)[i]);
      for (size_t e = 0; e < length; ++e) of_arg.types.push_back(OfInput(op_.inputs[i], first + e, e));
      first += length;
    }
    return types;
  }

 private:
  // How many tensors each argument takes. If one length attr is unset, its value follows from the number of inputs; all
  // arguments that use it share that.
  Result<std::vector<int64_t>> Lengths() const {
    std::vector<int64_t> lengths;
    std::string open;  // the attr that is not set
    int64_t rest = static_cast<int64_t>(value_types_.size()), shares = 0;
    for (const ArgDef& arg : op_.inputs) {
      lengths.push_back(LengthOf(arg));
      if (lengths.back() >= 0) {
        rest -= lengths.back();
        continue;
      }
      const std::string& attr = LengthAttr(arg);
      if (!open.empty() && open != attr) return TwoOpen(open, attr);
      open = attr;
      ++shares;
    }
    if (rest < 0 || (shares == 0 ? rest != 0 : rest % shares != 0)) return WrongCount();
    std::replace(lengths.begin(), lengths.end(), int64_t{-1}, shares == 0 ? 0 : rest / shares);
    return lengths;
  }

  static const std::string& LengthAttr(const ArgDef& arg) {
    return arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
  }

  // -1: not set.
  int64_t LengthOf(const ArgDef& arg) const {
    if (!arg.is_list()) return 1;
    const auto set = given_.find(LengthAttr(arg));
    if (set == given_.end()) return -1;
    return arg.number_attr.empty() ? static_cast<int64_t>(set->second.ints.size())
                                   : std::clamp<int64_t>(set->second.ints[0], 0, spec::kMaxListLength);
  }

  Status TwoOpen(const std::string& a, const std::string& b) const {
    return InvalidArgument(
        fmt::format("the lengths of the lists of op '{}' are unknown: set attr '{}' or '{}'", op_.name, a, b));
  }
  Status WrongCount() const {
    std::vector<std::string> names;
    for (const ArgDef& arg : op_.inputs) names.push_back(arg.is_list() ? arg.name + " (a list)" : arg.name);
    return InvalidArgument(fmt::format("the test gives {} shapes, which do not fit the inputs of op '{}': {}",
                                       value_types_.size(), op_.name, fmt::join(names, ", ")));
  }

  DType OfInput(const ArgDef& arg, size_t input, size_t element) const {
    if (value_types_[input] != DType::kInvalid) return value_types_[input];  // a wrong type is reported later
    if (arg.dtype != DType::kInvalid) return arg.dtype;
    const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    if (const auto set = given_.find(attr); set != given_.end() && !set->second.ints.empty()) {
      return DTypeFromNumber(set->second.ints[arg.type_attr.empty() ? element : 0]);
    }
    return arg.type_attr.empty() ? Allowed(*op_.FindAttr(attr)) : OfAttr(attr);
  }

  // The type of the first value among all inputs of the attr's type, otherwise its default, otherwise an allowed one.
  DType OfAttr(const std::string& attr) const {
    if (const auto known = of_attr_.find(attr); known != of_attr_.end()) return known->second;
    const spec::AttrDef& def = *op_.FindAttr(attr);
    return def.default_value ? DTypeFromNumber(def.default_value->ints[0]) : Allowed(def);
  }

  static DType Allowed(const spec::AttrDef& def) {
    const std::vector<DType>& allowed = def.allowed_types;
    const bool any = allowed.empty() || std::find(allowed.begin(), allowed.end(), DType::kFloat32) != allowed.end();
    return any ? DType::kFloat32 : allowed.front();
  }

  const spec::OpDef& op_;
  const Given& given_;
  const std::vector<DType>& value_types_;
  std::map<std::string, DType> of_attr_;  // of the first value
};

// The signature of a node with these inputs. value_types: for each input the type of its value, or DType::kInvalid.
// INVALID_ARGUMENT if there is none: a wrong number of inputs, a missing or invalid attr ...
Result<spec::Signature> SignatureOf(const spec::OpDef& op, const TestAttrs& attrs,
                                    const std::vector<DType>& value_types) {
  const Result<Given> given = ConvertAttrs(op, attrs);
  if (!given.ok()) return given.status();
  const Result<std::vector<std::optional<spec::InputTypes>>> types = Types(op, *given, value_types).OfAll();
  if (!types.ok()) return types.status();
  spec::Inference inference = spec::InferAttrs(op, *types, *given);
  if (inference.ok()) return std::move(inference.signature);
  const spec::InferError& first = inference.errors.front();
  return InvalidArgument(first.message, first.subject);
}

}  // namespace
}  // namespace opsrun::host

namespace opsrun::test {
namespace {

using host::InvalidArgument;
using host::Result;
using host::Status;
using Shapes = std::vector<const opsrun_shape*>;

// The outcome of a call, and the engine that owns the shapes of the answer.
struct Inferred {
  std::unique_ptr<host::spec::ShapeEngine> engine = std::make_unique<host::spec::ShapeEngine>();
  std::string trouble;  // the test is invalid, so the function was not called
  Status refusal;
  std::optional<host::ShapeAnswer> answer;
};

std::string RefusalText(const Status& status) {
  const std::string subject = status.subject().empty() ? "" : status.subject() + ": ";
  return host::CodeName(status.code()) + ": " + subject + status.message();
}

const opsrun_shape* MakeShape(host::spec::ShapeEngine& engine, const host::spec::PartialShape& shape) {
  return shape.rank_known ? engine.FromSizes(shape.dims) : engine.Unknown();
}

bool Fits(const host::spec::PartialShape& shape, const Shape& value) {
  if (!shape.rank_known) return true;
  if (shape.dims.size() != value.size()) return false;
  return std::equal(value.begin(), value.end(), shape.dims.begin(),
                    [](int64_t size, int64_t given) { return given == -1 || given == size; });
}

}  // namespace

struct ShapeInferenceTestOp::Impl {
  std::string op;
  host::PluginSet plugins;
  host::TestAttrs attrs;
  std::map<int, Array> values;
  std::map<int, std::string> values_as_shapes;

  Inferred Infer(const std::string& inputs) const;

 private:
  using Given = std::vector<host::spec::PartialShape>;
  Status ReadValues(const Given& given, std::vector<host::Tensor>* tensors) const;
  Status ReadPartialValues(host::spec::ShapeEngine& engine, Shapes* spelled) const;
  Status Call(const host::RegisteredOp& found, const Given& given, Inferred* inferred) const;
};

// One tensor per input, of type 0 if the input has no value.
Status ShapeInferenceTestOp::Impl::ReadValues(const Given& given, std::vector<host::Tensor>* tensors) const {
  tensors->resize(given.size());
  for (const auto& [i, array] : values) {
    if (i < 0 || static_cast<size_t>(i) >= given.size()) {
      return InvalidArgument(fmt::format("input {} has a value, but the test gives {} shapes", i, given.size()));
    }
    Result<host::Tensor> tensor = host::ToTensor(array);
    if (!tensor.ok()) return InvalidArgument(fmt::format("the value of input {}: {}", i, tensor.status().message()));
    const host::spec::PartialShape& shape = given[static_cast<size_t>(i)];
    if (!Fits(shape, array.shape)) {
      return InvalidArgument(fmt::format("input {} has the shape {}, but its value has {}", i,
                                         host::ShapeText(shape.dims), host::ShapeText(array.shape)));
    }
    (*tensors)[static_cast<size_t>(i)] = *std::move(tensor);
  }
  return host::OkStatus();
}

// One shape per input, null if its value does not represent one.
Status ShapeInferenceTestOp::Impl::ReadPartialValues(host::spec::ShapeEngine& engine, Shapes* spelled) const {
  for (const auto& [i, text] : values_as_shapes) {
    const Result<Given> shape = host::ReadInputShapes(text);
    if (!shape.ok()) return InvalidArgument(fmt::format("the value of input {}: {}", i, shape.status().message()));
    if (shape->size() != 1 || i < 0 || static_cast<size_t>(i) >= spelled->size()) {
      return InvalidArgument(fmt::format("input {} cannot have the value \"{}\"", i, text));
    }
    (*spelled)[static_cast<size_t>(i)] = MakeShape(engine, shape->front());
  }
  return host::OkStatus();
}

Status ShapeInferenceTestOp::Impl::Call(const host::RegisteredOp& found, const Given& given, Inferred* inferred) const {
  std::vector<host::Tensor> tensors;
  if (Status read = ReadValues(given, &tensors); !read.ok()) return read;
  std::vector<host::DType> types;
  std::vector<const host::Tensor*> known;
  Shapes in, spelled(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    types.push_back(tensors[i].dtype());
    known.push_back(tensors[i].dtype() == host::DType::kInvalid ? nullptr : &tensors[i]);
    in.push_back(MakeShape(*inferred->engine, given[i]));
  }
  if (Status read = ReadPartialValues(*inferred->engine, &spelled); !read.ok()) return read;
  const Result<host::spec::Signature> signature = host::SignatureOf(found.def, attrs, types);
  if (!signature.ok()) return signature.status();
  const host::CallArrays arrays(found.def, *signature, {}, plugins.engine->host());
  const auto n_out = static_cast<uint32_t>(signature->out_types.size());
  host::ShapeCall call(plugins.engine->host(), arrays, *inferred->engine, in, std::move(known), n_out);
  for (uint32_t i = 0; i < spelled.size(); ++i) {
    call.SetElements(i, spelled[i]);
  }
  inferred->refusal = call.Run(found.shape, found.shape_ctx, signature->out_types);
  Shapes out;
  for (uint32_t i = 0; i < n_out; ++i) out.push_back(call.output(i));
  inferred->answer.emplace(std::move(in), std::move(out));
  return host::OkStatus();
}

Inferred ShapeInferenceTestOp::Impl::Infer(const std::string& inputs) const {
  Inferred inferred;
  inferred.trouble = plugins.trouble;
  if (!inferred.trouble.empty()) return inferred;
  const host::RegisteredOp* const found = plugins.FindOp(op);
  const Result<Given> given = host::ReadInputShapes(inputs);
  if (found == nullptr) {
    inferred.trouble = plugins.WhyNoOp(op);
  } else if (found->shape == nullptr) {
    inferred.trouble = fmt::format("op '{}' has no shape function", op);
  } else if (!given.ok()) {
    inferred.trouble = given.status().message();
  } else if (const Status called = Call(*found, *given, &inferred); !called.ok()) {
    inferred.trouble = (called.subject().empty() ? "" : called.subject() + ": ") + called.message();
  }
  return inferred;
}

ShapeInferenceTestOp::ShapeInferenceTestOp(std::string op, const PluginFiles& files) : impl_(std::make_shared<Impl>()) {
  impl_->op = std::move(op);
  impl_->plugins = host::OpenPluginFiles(files);
}

ShapeInferenceTestOp& ShapeInferenceTestOp::Attr(const std::string& name, const AttrValue& value) {
  impl_->attrs.insert_or_assign(name, value);
  return *this;
}

ShapeInferenceTestOp& ShapeInferenceTestOp::Value(int i, const Array& value) {
  impl_->values.insert_or_assign(i, value);
  return *this;
}

ShapeInferenceTestOp& ShapeInferenceTestOp::ValueAsShape(int i, const std::string& shape) {
  impl_->values_as_shapes.insert_or_assign(i, shape);
  return *this;
}

ShapeInferenceTestOp& ShapeInferenceTestOp::ForgetValues() {
  impl_->values.clear();
  impl_->values_as_shapes.clear();
  return *this;
}

std::string ShapeInferenceTestOp::Infer(const std::string& inputs) const {
  const Inferred inferred = impl_->Infer(inputs);
  if (!inferred.trouble.empty()) return inferred.trouble;
  return inferred.refusal.ok() ? inferred.answer->Text() : RefusalText(inferred.refusal);
}

std::string ShapeInferenceTestOp::WhyNotOk(const std::string& inputs, const std::string& expected) const {
  const Result<host::ShapeWords> words = host::ReadExpectedShapes(expected);
  if (!words.ok()) return words.status().message();
  if (words->error) return WhyNotError("", inputs);
  const Inferred inferred = impl_->Infer(inputs);
  if (!inferred.trouble.empty()) return inferred.trouble;
  std::string difference = inferred.refusal.ok() ? inferred.answer->WhyNot(words->outputs) : "";
  if (inferred.refusal.ok() && difference.empty()) return "";
  const std::string found = inferred.refusal.ok() ? inferred.answer->Text() : RefusalText(inferred.refusal);
  if (!difference.empty()) difference = "\n  " + difference;
  return fmt::format("op '{}' infers different shapes\n  inputs:   {}\n  expected: {}\n  found:    {}{}", impl_->op,
                     inputs, expected, found, difference);
}

std::string ShapeInferenceTestOp::WhyNotError(const std::string& text, const std::string& inputs) const {
  const Inferred inferred = impl_->Infer(inputs);
  if (!inferred.trouble.empty()) return inferred.trouble;
  const bool refused = !inferred.refusal.ok();
  const std::string found = refused ? RefusalText(inferred.refusal) : inferred.answer->Text();
  if (refused && found.find(text) != std::string::npos) return "";
  return fmt::format("op '{}' {}\n  inputs:   {}\n  expected: {}\n  found:    {}", impl_->op,
                     refused ? "fails with a different message" : "accepts these shapes", inputs,
                     text.empty() ? "an error" : "an error with: " + text, found);
}

}  // namespace opsrun::test
