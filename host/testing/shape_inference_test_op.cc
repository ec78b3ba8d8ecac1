// host/testing/shape_inference_test_op.cc: calls an op's shape function as planning does.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing/shape_inference_test_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "host/plan/call_arrays.h"
#include "host/plan/infer_shapes.h"
#include "host/testing/planned_test.h"
#include "host/testing/plugin_set.h"
#include "host/testing/shape_answer.h"
#include "host/testing/test_node.h"
#include "host/testing/test_values.h"

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
  return fmt::format("op '{}' infers something else\n  inputs:   {}\n  expected: {}\n  found:    {}{}", impl_->op,
                     inputs, expected, found, difference);
}

std::string ShapeInferenceTestOp::WhyNotError(const std::string& text, const std::string& inputs) const {
  const Inferred inferred = impl_->Infer(inputs);
  if (!inferred.trouble.empty()) return inferred.trouble;
  const bool refused = !inferred.refusal.ok();
  const std::string found = refused ? RefusalText(inferred.refusal) : inferred.answer->Text();
  if (refused && found.find(text) != std::string::npos) return "";
  return fmt::format("op '{}' {}\n  inputs:   {}\n  expected: {}\n  found:    {}", impl_->op,
                     refused ? "fails with other words" : "takes these shapes", inputs,
                     text.empty() ? "an error" : "an error with: " + text, found);
}

}  // namespace opsrun::test
