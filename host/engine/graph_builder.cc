// host/engine/graph_builder.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/graph_builder.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "host/graph/tensor_value.h"
#include "host/tensor/exact_text.h"
#include "host/yaml/build_value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

Value TextOf(opsrun_str text) {
  return StringValue(std::string(text.data == nullptr ? "" : text.data, text.size));
}

// {value: [[1, 2]], dtype: int32}; {fill: 0, shape: [0, 2], dtype: int32} where lists cannot say the shape.
Value TensorOf(const Tensor& tensor) {
  Value map = MapValue();
  if (tensor.num_elements() > 0 || tensor.shape().empty()) {
    AddEntry(map, "value", ElementsValue(tensor));
  } else {
    AddEntry(map, "fill", tensor.dtype() == DType::kString ? StringValue("") : PlainValue("0"));
    AddEntry(map, "shape", SizesValue(tensor.shape().data(), tensor.shape().size()));
  }
  AddEntry(map, "dtype", StringValue(DTypeName(tensor.dtype())));
  return map;
}

Result<Tensor> TensorAt(const opsrun_tensor& view) {
  Result<Tensor> tensor = Tensor::Create(DTypeFromNumber(view.dtype), Shape(view.shape, view.shape + view.rank));
  if (!tensor.ok()) return tensor;
  if (tensor->dtype() == DType::kString) {
    const Status copied = tensor->CopyStrings(static_cast<const opsrun_str*>(view.data));
    return copied.ok() ? tensor : Result<Tensor>(copied);
  }
  if (tensor->num_bytes() > 0) std::memcpy(tensor->mutable_data(), view.data, tensor->num_bytes());
  return tensor;
}

// Element i of an attr's value, which is a list of `attr.count` if it is one.
Result<Value> ElementOf(const opsrun_attr& attr, uint64_t i) {
  const bool list = (attr.kind & OPSRUN_ATTR_LIST) != 0;
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_INT:
      return PlainValue(std::to_string(list ? attr.v.ints[i] : attr.v.i));
    case OPSRUN_ATTR_BOOL:
      return PlainValue((list ? attr.v.ints[i] : attr.v.i) != 0 ? "true" : "false");
    case OPSRUN_ATTR_FLOAT:
      return PlainValue(ExactText(list ? attr.v.floats[i] : attr.v.f));
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return TextOf(list ? attr.v.strs[i] : attr.v.s);
    case OPSRUN_ATTR_TYPE:
      return StringValue(DTypeName(DTypeFromNumber(list ? attr.v.ints[i] : attr.v.i)));
    case OPSRUN_ATTR_SHAPE: {
      const opsrun_partial& shape = attr.v.shapes[i];
      if (shape.rank < 0) return InvalidArgument("a shape of unknown rank cannot be written");
      return SizesValue(shape.dims, static_cast<size_t>(shape.rank));
    }
    case OPSRUN_ATTR_TENSOR: {
      Result<Tensor> tensor = TensorAt(*attr.v.tensors[i]);
      if (!tensor.ok()) return tensor.status();
      return TensorOf(*tensor);
    }
    default:
      return InvalidArgument(fmt::format("{} is no kind of attr", attr.kind));
  }
}

Result<Value> ValueOf(const opsrun_attr& attr) {
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) return ElementOf(attr, 0);
  Value list = ListValue();
  for (uint64_t i = 0; i < attr.count; ++i) {
    Result<Value> item = ElementOf(attr, i);
    if (!item.ok()) return item;
    list.items.push_back(*std::move(item));
  }
  return list;
}

Value Strings(const std::vector<std::string>& texts) {
  Value list = ListValue();
  for (const std::string& text : texts) list.items.push_back(StringValue(text));
  return list;
}

Value FromOf(const BuilderInput& input) {
  return input.list || input.from.size() != 1 ? Strings(input.from) : StringValue(input.from.front());
}

// By name if all inputs have one, else by position.
Value InputsOf(const std::vector<BuilderInput>& inputs) {
  const bool named = !inputs.front().arg.empty();
  Value value = named ? MapValue() : ListValue();
  for (const BuilderInput& input : inputs) {
    if (named) {
      AddEntry(value, input.arg, FromOf(input));
    } else {
      value.items.push_back(FromOf(input));
    }
  }
  return value;
}

}  // namespace

void GraphBuilder::AddFeed(const std::string& name, DType dtype, const Shape* shape) {
  Value feed = MapValue();
  AddEntry(feed, "dtype", StringValue(DTypeName(dtype)));
  if (shape != nullptr) AddEntry(feed, "shape", SizesValue(shape->data(), shape->size()));
  AddEntry(feeds_, name, std::move(feed));
}

void GraphBuilder::AddConstant(const std::string& name, const Tensor& value) {
  AddEntry(feeds_, name, TensorOf(value));
}

Status GraphBuilder::AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                             const std::vector<opsrun_attr>& attrs, const std::vector<std::string>& after,
                             const std::string& label) {
  Value node = MapValue();
  AddEntry(node, "op", StringValue(op));
  if (!inputs.empty()) AddEntry(node, "in", InputsOf(inputs));
  Value written = MapValue();
  for (const opsrun_attr& attr : attrs) {
    const std::string attr_name(attr.name.data, attr.name.size);
    Result<Value> value = ValueOf(attr);
    if (!value.ok()) {
      return InvalidArgument(fmt::format("attr '{}' of node '{}': {}", attr_name, name, value.status().message()),
                             "attr:" + attr_name);
    }
    AddEntry(written, attr_name, *std::move(value));
  }
  if (!attrs.empty()) AddEntry(node, "attrs", std::move(written));
  if (!after.empty()) AddEntry(node, "after", Strings(after));
  if (!label.empty()) AddEntry(node, "label", StringValue(label));
  AddEntry(nodes_, name, std::move(node));
  return OkStatus();
}

void GraphBuilder::AddOutput(const std::string& name, const std::string& from) {
  AddEntry(outputs_, name, StringValue(from));
}

std::string GraphBuilder::ToYaml() const {
  Value graph = MapValue();
  AddEntry(graph, "opsrun", PlainValue("1"));
  const auto add = [&](const char* section, Value entries) {
    entries.kind = Value::Kind::kMap;
    if (!entries.entries.empty()) AddEntry(graph, section, std::move(entries));
  };
  add("feeds", feeds_);
  add("nodes", nodes_);
  add("outputs", outputs_);
  return WriteYaml(graph);
}

}  // namespace opsrun::host
