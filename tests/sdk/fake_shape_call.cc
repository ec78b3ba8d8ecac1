// tests/sdk/fake_shape_call.cc: the primitives of shape inference, and shapes as text.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/fake_shape_call.h"

#include <gtest/gtest.h>

namespace opsrun_test {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

// "<1,-1>" and "[1,-1]" hold two numbers.
std::vector<int64_t> Numbers(const std::string& list) {
  std::vector<int64_t> numbers;
  for (const std::string& number : Split(list.substr(1, list.find_first_of(">]") - 1), ','))
    numbers.push_back(std::stoll(number));
  return numbers;
}

}  // namespace

FakeShapeCall::FakeShapeCall(FakeHost& host, const std::string& text, uint32_t n_out)
    : host_(host), out_(n_out), out_values_(n_out) {
  call_.size = sizeof(call_);
  call_.kind = OPSRUN_KIND_SHAPE_CALL;
  call_.host = host.table();
  const std::size_t end = text.find(' ');
  const std::vector<std::string> inputs = Split(text.substr(0, end), ';');
  values_.resize(inputs.size());
  values_as_shapes_.resize(inputs.size());
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    in_.push_back(Parse(input.substr(0, equals)));
    if (equals != std::string::npos) SetKnown(static_cast<uint32_t>(in_.size() - 1), input.substr(equals + 1));
  }
  if (end != std::string::npos)
    for (const std::string& word : Split(text.substr(end + 1), ' ')) SetAttr(word);
  host_.Add(this, &call_);
}

FakeShapeCall::~FakeShapeCall() {
  host_.ForgetFailure(&call_);
  host_.Remove(&call_);
}

const opsrun_shape* FakeShapeCall::Parse(const std::string& text) {
  const opsrun_shape* shape = nullptr;
  if (text == "?") {
    MakeShape(-1, nullptr, &shape);
    return shape;
  }
  std::vector<const opsrun_dim*> dims;
  for (const std::string& size : Split(text.substr(1, text.size() - 2), ',')) {
    dims.push_back(nullptr);
    const bool is_negative = size[0] == '-';
    MakeDim(size == "?" ? -1 : size == "nothing" ? INT64_MIN : std::stoll(size) - (is_negative ? 1 : 0), &dims.back());
  }
  MakeShape(static_cast<int32_t>(dims.size()), dims.data(), &shape);
  return shape;
}

void FakeShapeCall::SetKnown(uint32_t i, const std::string& text) {
  if (text[0] != '<') {
    ValueAsShape(i, text);
    return;
  }
  const std::vector<int64_t> values = Numbers(text);
  std::vector<int64_t> shape;
  for (int32_t d = 0; d < in_[i]->rank; ++d) shape.push_back(in_[i]->dims[d]->value);
  if (in_[i]->rank < 0 || shape == std::vector<int64_t>{-1}) shape = {static_cast<int64_t>(values.size())};
  if (text.back() == 'L')
    Value<int64_t>(i, shape, values);
  else if (text.back() == 'f')
    Value<float>(i, shape, {values.begin(), values.end()});
  else
    Value<int32_t>(i, shape, {values.begin(), values.end()});
}

void FakeShapeCall::SetAttr(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "outputs")
    out_values_.resize(std::stoul(value)), out_.resize(out_values_.size());
  else if (value == "true" || value == "false")
    attrs.Bool(name, value == "true");
  else if (value[0] == '[')
    attrs.Ints(name, Numbers(value));
  else if (value.find_first_not_of("-0123456789") == std::string::npos && !value.empty())
    attrs.Int(name, std::stoll(value));
  else
    attrs.String(name, value);
}

FakeShapeCall& FakeShapeCall::InArg(const std::string& name, uint32_t count, uint32_t flags) {
  in_args_.Add(name, count, flags);
  return *this;
}

FakeShapeCall& FakeShapeCall::OutArg(const std::string& name, uint32_t count, uint32_t flags) {
  out_args_.Add(name, count, flags);
  return *this;
}

FakeShapeCall& FakeShapeCall::ValueAsShape(uint32_t i, const std::string& shape) {
  values_as_shapes_[i] = Parse(shape);
  return *this;
}

opsrun_shape_call* FakeShapeCall::handle() {
  if (in_args_.size() == 0)
    for (std::size_t i = 0; i < in_.size(); ++i) InArg("in" + std::to_string(i), 1);
  if (out_args_.size() == 0)
    for (std::size_t i = 0; i < out_.size(); ++i) OutArg("out" + std::to_string(i), 1);
  call_.attrs = attrs.data();
  call_.n_attrs = attrs.size();
  call_.in_args = in_args_.data();
  call_.n_in_args = in_args_.size();
  call_.out_args = out_args_.data();
  call_.n_out_args = out_args_.size();
  call_.in = in_.data();
  call_.n_in = static_cast<uint32_t>(in_.size());
  call_.n_out = static_cast<uint32_t>(out_.size());
  return &call_;
}

std::string FakeShapeCall::Label(const opsrun_dim* dim) const {
  std::string label = dim->value == -1 ? "?" : std::to_string(dim->value < 0 ? dim->value + 1 : dim->value);
  if (dim->value == INT64_MIN) return "nothing";
  for (std::size_t i = 0; i < in_.size(); ++i)
    for (int32_t d = 0; d < in_[i]->rank; ++d)
      if (in_[i]->dims[d] == dim) label = "d" + std::to_string(i) + "_" + std::to_string(d);
  return label;
}

std::string FakeShapeCall::Label(const opsrun_shape* shape) const {
  if (!shape) return "?";
  for (std::size_t i = in_.size(); i-- > 0;)
    if (in_[i] == shape) return "in" + std::to_string(i);
  if (shape->rank < 0) return "?";
  std::string label = "[";
  for (int32_t d = 0; d < shape->rank; ++d) label += (d ? "," : "") + Label(shape->dims[d]);
  return label + "]";
}

std::string FakeShapeCall::Outputs() const {
  std::string labels;
  for (std::size_t i = 0; i < out_.size(); ++i) labels += (i ? ";" : "") + Label(out_[i]);
  return labels;
}

int32_t FakeShapeCall::Refuse(const std::string& text) {
  return call_.host->fail(&call_, OPSRUN_INVALID_ARGUMENT, Str(text), {});
}

bool FakeShapeCall::Owns(const void* handle) const {
  EXPECT_NE(handle, nullptr) << "a handle that was never set reached the host";
  return owned_.count(handle) > 0;
}

int32_t FakeShapeCall::MakeDim(int64_t value, const opsrun_dim** dim) {
  *dim = nullptr;
  dims_.push_back({value});
  owned_.insert(*dim = &dims_.back());
  return OPSRUN_OK;
}

int32_t FakeShapeCall::MakeShape(int32_t rank, const opsrun_dim* const* dims, const opsrun_shape** shape) {
  *shape = nullptr;
  if (rank < -1 || rank > OPSRUN_MAX_RANK) return Refuse("a shape of rank " + std::to_string(rank));
  if (rank <= 0) {
    shapes_.push_back({rank, 0, nullptr});
  } else {
    for (int32_t d = 0; d < rank; ++d)
      if (!Owns(dims[d])) return Refuse("a dimension of another inference");
    dim_lists_.emplace_back(dims, dims + rank);
    shapes_.push_back({rank, 0, dim_lists_.back().data()});
  }
  owned_.insert(*shape = &shapes_.back());
  return OPSRUN_OK;
}

int32_t FakeShapeCall::SetOutput(uint32_t i, const opsrun_shape* shape) {
  if (i >= out_.size()) return Refuse("there is no output " + std::to_string(i));
  if (!Owns(shape)) return Refuse("a shape of another inference");
  for (int32_t d = 0; d < shape->rank; ++d) EXPECT_GE(shape->dims[d]->value, -1) << "an element that is not a size";
  out_[i] = shape;
  return OPSRUN_OK;
}

int32_t FakeShapeCall::Equate(const opsrun_dim* a, const opsrun_dim* b) {
  if (!Owns(a) || !Owns(b)) return Refuse("a dimension of another inference");
  if (a->value >= 0 && b->value >= 0 && a->value != b->value) return Refuse("two sizes cannot be equal");
  equated_.emplace_back(a, b);
  return OPSRUN_OK;
}

int32_t FakeShapeCall::DimOp(uint32_t op, const opsrun_dim* a, const opsrun_dim* b, const opsrun_dim** out) {
  if (!Owns(a) || !Owns(b)) return Refuse("a dimension of another inference");
  EXPECT_TRUE(a->value < 0 || b->value < 0) << "both operands are known: that is the plugin's own work";
  dim_ops_.push_back(op);
  return MakeDim(-1, out);
}

// In the representation of the host: see set_output_value.
const opsrun_shape* FakeShapeCall::ElementsOf(const opsrun_tensor& tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d) count *= tensor.shape[d];
  if (count > OPSRUN_MAX_RANK || (tensor.dtype != OPSRUN_DT_INT32 && tensor.dtype != OPSRUN_DT_INT64)) return nullptr;
  std::vector<const opsrun_dim*> elements;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t number = tensor.dtype == OPSRUN_DT_INT32 ? static_cast<const int32_t*>(tensor.data)[i]
                                                           : static_cast<const int64_t*>(tensor.data)[i];
    MakeDim(number >= 0 || number == INT64_MIN ? number : number - 1, &elements.emplace_back());
  }
  const opsrun_shape* shape = nullptr;
  MakeShape(static_cast<int32_t>(count), elements.data(), &shape);
  return shape;
}

int32_t FakeShapeCall::WantValue(uint32_t i, const opsrun_tensor** value, const opsrun_shape** as_shape) {
  if (i >= in_.size()) return Refuse("there is no input " + std::to_string(i));
  wanted_.insert(i);
  if (value) *value = values_[i];
  if (as_shape) *as_shape = values_as_shapes_[i];
  if (as_shape && !*as_shape && values_[i]) *as_shape = ElementsOf(*values_[i]);
  return OPSRUN_OK;
}

int32_t FakeShapeCall::SetOutputValue(uint32_t i, const opsrun_shape* shape) {
  if (i >= out_.size()) return Refuse("there is no output " + std::to_string(i));
  EXPECT_TRUE(owned_.count(shape)) << "a shape of another inference";
  out_values_[i] = shape;
  return OPSRUN_OK;
}

}  // namespace opsrun_test
