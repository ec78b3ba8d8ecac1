// host/engine/graph_builder.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/graph_builder.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "host/tensor/exact_text.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

Value Word(std::string text, bool quoted = false) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = std::move(text);
  value.quoted = quoted;
  return value;
}

Value Quoted(opsrun_str text) {
  return Word(std::string(text.data == nullptr ? "" : text.data, text.size), true);
}

Value List() {
  Value value;
  value.kind = Value::Kind::kList;
  return value;
}

Value Map() {
  Value value;
  value.kind = Value::Kind::kMap;
  return value;
}

void Add(Value& map, std::string key, Value value) {
  map.entries.push_back({std::move(key), {}, std::move(value)});
}

Value SizesOf(const int64_t* sizes, size_t rank) {
  Value list = List();
  for (size_t i = 0; i < rank; ++i) list.items.push_back(Word(std::to_string(sizes[i])));
  return list;
}

// Elements from *place on, as lists in lists from dimension `axis` on; moves *place behind them.
Value ElementsOf(const Tensor& tensor, size_t axis, int64_t* place) {
  if (axis == tensor.shape().size()) {
    const int64_t i = (*place)++;
    if (tensor.dtype() == DType::kString) return Word(std::string(tensor.string(i)), true);
    return Word(ExactText(tensor, i));
  }
  Value list = List();
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) list.items.push_back(ElementsOf(tensor, axis + 1, place));
  return list;
}

// {value: [[1, 2]], dtype: int32}; {fill: 0, shape: [0, 2], dtype: int32} where lists cannot say the shape.
Value TensorOf(const Tensor& tensor) {
  Value map = Map();
  int64_t place = 0;
  if (tensor.num_elements() > 0 || tensor.shape().empty()) {
    Add(map, "value", ElementsOf(tensor, 0, &place));
  } else {
    Add(map, "fill", tensor.dtype() == DType::kString ? Word("", true) : Word("0"));
    Add(map, "shape", SizesOf(tensor.shape().data(), tensor.shape().size()));
  }
  Add(map, "dtype", Word(DTypeName(tensor.dtype())));
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
      return Word(std::to_string(list ? attr.v.ints[i] : attr.v.i));
    case OPSRUN_ATTR_BOOL:
      return Word((list ? attr.v.ints[i] : attr.v.i) != 0 ? "true" : "false");
    case OPSRUN_ATTR_FLOAT:
      return Word(ExactText(list ? attr.v.floats[i] : attr.v.f));
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return Quoted(list ? attr.v.strs[i] : attr.v.s);
    case OPSRUN_ATTR_TYPE:
      return Word(DTypeName(DTypeFromNumber(list ? attr.v.ints[i] : attr.v.i)));
    case OPSRUN_ATTR_SHAPE: {
      const opsrun_partial& shape = attr.v.shapes[i];
      if (shape.rank < 0) return InvalidArgument("a shape of unknown rank cannot be written");
      return SizesOf(shape.dims, static_cast<size_t>(shape.rank));
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
  Value list = List();
  for (uint64_t i = 0; i < attr.count; ++i) {
    Result<Value> item = ElementOf(attr, i);
    if (!item.ok()) return item;
    list.items.push_back(*std::move(item));
  }
  return list;
}

Value Words(const std::vector<std::string>& texts) {
  Value list = List();
  for (const std::string& text : texts) list.items.push_back(Word(text));
  return list;
}

Value FromOf(const BuilderInput& input) {
  return input.list || input.from.size() != 1 ? Words(input.from) : Word(input.from.front());
}

// By name if all inputs have one, else by position.
Value InputsOf(const std::vector<BuilderInput>& inputs) {
  const bool named = !inputs.front().arg.empty();
  Value value = named ? Map() : List();
  for (const BuilderInput& input : inputs) {
    if (named) {
      Add(value, input.arg, FromOf(input));
    } else {
      value.items.push_back(FromOf(input));
    }
  }
  return value;
}

}  // namespace

void GraphBuilder::AddFeed(const std::string& name, DType dtype, const Shape* shape) {
  Value feed = Map();
  Add(feed, "dtype", Word(DTypeName(dtype)));
  if (shape != nullptr) Add(feed, "shape", SizesOf(shape->data(), shape->size()));
  Add(feeds_, name, std::move(feed));
}

void GraphBuilder::AddConstant(const std::string& name, const Tensor& value) {
  Add(feeds_, name, TensorOf(value));
}

Status GraphBuilder::AddNode(const std::string& name, const std::string& op, const std::vector<BuilderInput>& inputs,
                             const std::vector<opsrun_attr>& attrs, const std::vector<std::string>& after,
                             const std::string& label) {
  Value node = Map();
  Add(node, "op", Word(op));
  if (!inputs.empty()) Add(node, "in", InputsOf(inputs));
  Value written = Map();
  for (const opsrun_attr& attr : attrs) {
    const std::string attr_name(attr.name.data, attr.name.size);
    Result<Value> value = ValueOf(attr);
    if (!value.ok()) {
      return InvalidArgument(fmt::format("attr '{}' of node '{}': {}", attr_name, name, value.status().message()),
                             "attr:" + attr_name);
    }
    Add(written, attr_name, *std::move(value));
  }
  if (!attrs.empty()) Add(node, "attrs", std::move(written));
  if (!after.empty()) Add(node, "after", Words(after));
  if (!label.empty()) Add(node, "label", Word(label));
  Add(nodes_, name, std::move(node));
  return OkStatus();
}

void GraphBuilder::AddOutput(const std::string& name, const std::string& from) {
  Add(outputs_, name, Word(from));
}

std::string GraphBuilder::ToYaml() const {
  Value graph = Map();
  Add(graph, "opsrun", Word("1"));
  const auto add = [&](const char* section, Value entries) {
    entries.kind = Value::Kind::kMap;
    if (!entries.entries.empty()) Add(graph, section, std::move(entries));
  };
  add("feeds", feeds_);
  add("nodes", nodes_);
  add("outputs", outputs_);
  return WriteYaml(graph);
}

}  // namespace opsrun::host
