// tests/sdk/test_shape_call.cc: a shape call of the real host, and shapes as text.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sdk/test_shape_call.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <optional>

#include "tests/sdk/test_host_impl.h"

namespace opsrun_test {

struct TestShapeCall::Impl {
  explicit Impl(TestHost& its_host) : table(its_host.table()) {}

  const opsrun_host* const table;
  host::spec::ShapeEngine engine;
  std::optional<host::CallArrays> arrays;
  std::vector<const opsrun_shape*> in, elements;
  std::vector<const host::Tensor*> values;
  std::deque<host::Tensor> tensors;
  std::optional<WatchedShapeCall> call;
};

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

TestShapeCall::TestShapeCall(const std::string& text, uint32_t n_out)
    : impl_(std::make_unique<Impl>(host)), n_out_(n_out) {
  const std::size_t end = text.find(' ');
  for (const std::string& input : Split(text.substr(0, end), ';')) {
    const std::size_t equals = input.find('=');
    impl_->in.push_back(Parse(input.substr(0, equals)));
    impl_->values.emplace_back();
    impl_->elements.emplace_back();
    if (equals != std::string::npos) SetKnown(static_cast<uint32_t>(impl_->in.size() - 1), input.substr(equals + 1));
  }
  if (end != std::string::npos)
    for (const std::string& word : Split(text.substr(end + 1), ' ')) SetAttr(word);
}
TestShapeCall::~TestShapeCall() = default;

const opsrun_shape* TestShapeCall::Parse(const std::string& text) {
  if (text == "?") return impl_->engine.Unknown();
  std::vector<const opsrun_dim*> dims;
  for (const std::string& size : Split(text.substr(1, text.size() - 2), ',')) {
    const int64_t value = size == "?" ? -1 : size == "nothing" ? INT64_MIN : std::stoll(size);
    dims.push_back(impl_->engine.MakeDim(value - (size[0] == '-' ? 1 : 0)));
  }
  return *impl_->engine.MakeShape(static_cast<int32_t>(dims.size()), dims.data());
}

TestShapeCall& TestShapeCall::SetValue(uint32_t i, const TestTensor& value) {
  host::Tensor tensor = *host::Tensor::Create(host::DTypeFromNumber(value.dtype), value.shape);
  if (value.dtype == OPSRUN_DT_STRING)
    EXPECT_TRUE(tensor.CopyStrings(reinterpret_cast<const opsrun_str*>(value.data.get())).ok());
  else if (tensor.num_bytes() != 0)
    std::memcpy(tensor.mutable_data(), value.data.get(), tensor.num_bytes());
  impl_->values[i] = &impl_->tensors.emplace_back(std::move(tensor));
  return *this;
}

TestShapeCall& TestShapeCall::ValueAsShape(uint32_t i, const std::string& shape) {
  impl_->elements[i] = Parse(shape);
  return *this;
}

void TestShapeCall::SetKnown(uint32_t i, const std::string& text) {
  if (text[0] != '<') {
    ValueAsShape(i, text);
    return;
  }
  const std::vector<int64_t> values = Numbers(text);
  std::vector<int64_t> shape;
  for (int32_t d = 0; d < impl_->in[i]->rank; ++d) shape.push_back(impl_->in[i]->dims[d]->value);
  if (impl_->in[i]->rank < 0 || shape == std::vector<int64_t>{-1}) shape = {static_cast<int64_t>(values.size())};
  if (text.back() == 'L')
    Value<int64_t>(i, shape, values);
  else if (text.back() == 'f')
    Value<float>(i, shape, {values.begin(), values.end()});
  else
    Value<int32_t>(i, shape, {values.begin(), values.end()});
}

void TestShapeCall::SetAttr(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  if (name == "outputs")
    n_out_ = static_cast<uint32_t>(std::stoul(value));
  else if (value == "true" || value == "false")
    attrs.Bool(name, value == "true");
  else if (value[0] == '[')
    attrs.Ints(name, Numbers(value));
  else if (value.find_first_not_of("-0123456789") == std::string::npos && !value.empty())
    attrs.Int(name, std::stoll(value));
  else
    attrs.String(name, value);
}

int32_t TestShapeCall::Run(int32_t (*shape)(void*, opsrun_shape_call*), void* ctx) {
  const std::vector<host::DType> out_types(n_out_, host::DType::kInt64);
  host::spec::Signature signature;
  for (const host::Tensor* value : impl_->values)
    signature.in_types.push_back(value == nullptr ? host::DType::kInt64 : value->dtype());
  signature.out_types = out_types;
  const host::CallArrays& arrays =
      impl_->arrays.emplace(host::spec::OpDef{}, signature, std::vector<std::string>{}, impl_->table);
  WatchedShapeCall& call = impl_->call.emplace(impl_->table, arrays, impl_->engine, impl_->in, impl_->values, n_out_);
  for (uint32_t i = 0; i < impl_->elements.size(); ++i) call.SetElements(i, impl_->elements[i]);
  for (size_t i = in_args_.types.size(); i < impl_->in.size(); ++i) InArg("in" + std::to_string(i), 1);
  for (size_t i = out_args_.types.size(); i < n_out_; ++i) OutArg("out" + std::to_string(i), 1);
  call.attrs = attrs.data();
  call.n_attrs = attrs.size();
  call.in_args = in_args_.args.data();
  call.n_in_args = static_cast<uint32_t>(in_args_.args.size());
  call.out_args = out_args_.args.data();
  call.n_out_args = static_cast<uint32_t>(out_args_.args.size());
  const host::Status status = call.Run(shape, ctx, out_types);
  failure_ = status.ok() ? Failure() : Failure{status.code(), status.message(), status.subject()};
  return failure_.code;
}

const opsrun_shape* TestShapeCall::Output(uint32_t i) const {
  return impl_->call->output(i);
}
std::string TestShapeCall::OutputValue(uint32_t i) const {
  const opsrun_shape* const elements = impl_->call->output_elements(i);
  return elements == nullptr ? "" : Label(elements);
}
std::vector<uint32_t> TestShapeCall::dim_ops() const {
  return impl_->call->dim_ops;
}
std::set<uint32_t> TestShapeCall::wanted() const {
  return impl_->call->wanted;
}
std::vector<std::string> TestShapeCall::equated() const {
  std::vector<std::string> equations;
  for (size_t i = 0; i < impl_->engine.Equated(); ++i) {
    const auto [a, b] = impl_->engine.EquationAt(i);
    equations.push_back(Label(a) + "=" + Label(b));
  }
  return equations;
}

std::string TestShapeCall::Label(const opsrun_dim* dim) const {
  std::string label = dim->value == -1 ? "?" : std::to_string(dim->value < 0 ? dim->value + 1 : dim->value);
  if (dim->value == INT64_MIN) return "nothing";
  const std::vector<const opsrun_shape*>& in = impl_->in;
  for (size_t i = 0; i < in.size(); ++i)
    for (int32_t d = 0; d < in[i]->rank; ++d)
      if (in[i]->dims[d] == dim) label = "d" + std::to_string(i) + "_" + std::to_string(d);
  return label;
}

std::string TestShapeCall::Label(const opsrun_shape* shape) const {
  if (!shape) return "?";
  for (size_t i = impl_->in.size(); i-- > 0;)
    if (impl_->in[i] == shape) return "in" + std::to_string(i);
  if (shape->rank < 0) return "?";
  std::string label = "[";
  for (int32_t d = 0; d < shape->rank; ++d) label += (d ? "," : "") + Label(shape->dims[d]);
  return label + "]";
}

std::string TestShapeCall::Outputs() const {
  std::string labels;
  for (uint32_t i = 0; i < n_out_; ++i) labels += (i ? ";" : "") + Label(Output(i));
  return labels;
}

}  // namespace opsrun_test
