// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>
#include <unordered_set>
#include <utility>

#include "host/engine/loaded_graph.h"
#include "host/graph/read_graph.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

Value TextOf(opsrun_str text) {
  return StringValue(text.data == nullptr ? std::string() : std::string(text.data, text.size));
}

bool IsSizes(int32_t rank, const int64_t* sizes) {
  return rank >= 0 && rank <= OPSRUN_MAX_RANK && (rank == 0 || sizes != nullptr);
}

Result<Value> ShapeOf(const opsrun_partial& shape) {
  if (shape.reserved != 0) return InvalidArgument(fmt::format("its reserved word is {}, not 0", shape.reserved));
  if (shape.rank < 0) return InvalidArgument("a shape of unknown rank cannot be written");
  if (!IsSizes(shape.rank, shape.dims)) return InvalidArgument(fmt::format("there is no shape of rank {}", shape.rank));
  return SizesValue(shape.dims, static_cast<size_t>(shape.rank));
}

Result<Value> TensorOf(const opsrun_tensor* view) {
  if (view == nullptr || !IsSizes(view->rank, view->shape)) return InvalidArgument("the tensor has no shape");
  const std::span<const int64_t> shape(view->shape, static_cast<size_t>(view->rank));
  if (!IsCpu(view->device) || !IsDense(shape, view->strides) || view->byte_offset != 0)
    return InvalidArgument("the tensor is not dense and row-major in CPU memory");
  const std::optional<int64_t> elements = NumElementsOf(shape);
  if (elements.value_or(0) > 0 && view->data == nullptr) return InvalidArgument("the tensor has no data");
  const Result<Tensor> tensor =
      Tensor::CopyOf(DTypeFromNumber(view->dtype), Shape(view->shape, view->shape + view->rank), view->data);
  if (!tensor.ok()) return tensor.status();
  return WholeTensorValue(*tensor);
}

// Shapes and tensors are behind a pointer even if there is only one.
bool HasItsElements(const opsrun_attr& attr) {
  const uint32_t kind = attr.kind & ~OPSRUN_ATTR_LIST;
  const bool behind = kind != attr.kind || kind == OPSRUN_ATTR_SHAPE || kind == OPSRUN_ATTR_TENSOR;
  return !behind || attr.v.ints != nullptr || (kind != attr.kind && attr.count == 0);
}

// Element i of an attr's value, which may be a list of `attr.count`.
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
    case OPSRUN_ATTR_SHAPE:
      return ShapeOf(attr.v.shapes[i]);
    case OPSRUN_ATTR_TENSOR:
      return TensorOf(attr.v.tensors[i]);
    default:
      return InvalidArgument(fmt::format("{} is not a kind of attr", attr.kind));
  }
}

Result<Value> ValueOf(const opsrun_attr& attr) {
  if (attr.reserved != 0) return InvalidArgument(fmt::format("its reserved word is {}, not 0", attr.reserved));
  if (!HasItsElements(attr)) return InvalidArgument("the pointer to its value is NULL");
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) return ElementOf(attr, 0);
  Value list = ListValue();
  for (uint64_t i = 0; i < attr.count; ++i) {
    Result<Value> item = ElementOf(attr, i);
    if (!item.ok()) return item;
    list.items.push_back(*std::move(item));
  }
  return list;
}

// Calls can repeat a key; reading the text then reports it.
bool HasRepeatedKeys(const Value& tree) {
  std::unordered_set<std::string_view> keys;
  for (const Value::Entry& entry : tree.entries) {
    if (!keys.insert(entry.key).second || HasRepeatedKeys(entry.value)) return true;
  }
  return false;
}

}  // namespace

bool IsDense(std::span<const int64_t> shape, const int64_t* strides) {
  int64_t stride = 1;
  for (size_t i = shape.size(); strides != nullptr && i-- > 0;) {
    if (shape[i] != 1 && strides[i] != stride) return false;
    stride *= shape[i];
  }
  return true;
}

Result<std::vector<NodeAttr>> AttrsOf(std::span<const opsrun_attr> attrs, const std::string& node) {
  std::vector<NodeAttr> read;
  for (const opsrun_attr& attr : attrs) {
    const std::string name = attr.name.data == nullptr ? std::string() : std::string(attr.name.data, attr.name.size);
    Result<Value> value = ValueOf(attr);
    if (!value.ok()) {
      return InvalidArgument(fmt::format("attr '{}' of node '{}': {}", name, node, value.status().message()),
                             "attr:" + name);
    }
    read.push_back({{name, {}}, *std::move(value)});
  }
  return read;
}

void GraphBuilder::AddFeed(const std::string& name, DType dtype, const Shape* shape) {
  Value feed = MapValue();
  AddEntry(feed, "dtype", StringValue(DTypeName(dtype)));
  if (shape != nullptr) AddEntry(feed, "shape", SizesValue(shape->data(), shape->size()));
  AddEntry(feeds_, name, std::move(feed));
}

void GraphBuilder::AddConstant(const std::string& name, Tensor value) {
  AddFeed(name, value.dtype(), &value.shape());
  constants_[name] = std::move(value);
}

void GraphBuilder::AddOutput(const std::string& name, const std::string& from) {
  AddEntry(outputs_, name, StringValue(from));
}

// whole: include the values of constants.
Value GraphBuilder::Tree(bool whole) const {
  Value graph = MapValue();
  AddEntry(graph, "opsrun", PlainValue("1"));
  const auto add = [&](const char* section, Value entries) {
    entries.kind = Value::Kind::kMap;
    if (!entries.entries.empty()) AddEntry(graph, section, std::move(entries));
  };
  Value feeds = feeds_;
  for (Value::Entry& feed : feeds.entries) {
    const auto constant = whole ? constants_.find(feed.key) : constants_.end();
    if (constant != constants_.end()) feed.value = WholeTensorValue(constant->second);
  }
  add("feeds", std::move(feeds));
  add("nodes", nodes_);
  add("outputs", outputs_);
  return graph;
}

std::string GraphBuilder::ToYaml() const {
  return WriteYaml(Tree(true));
}

std::shared_ptr<LoadedGraph> GraphBuilder::Load(Engine& engine, const std::string& name,
                                                const LoadOptions& options) const {
  Diagnostics found;
  Value tree = Tree(false);
  const bool repeated = HasRepeatedKeys(tree);
  std::optional<Graph> graph =
      ReadTree(std::move(tree), std::make_shared<const SourceFile>(SourceFile{name, {}}), found);
  if (repeated || !graph || !found.all().empty()) {
    return engine.LoadText(std::make_shared<const SourceFile>(SourceFile{name, ToYaml()}), options);
  }
  for (Feed& feed : graph->feeds) {
    const auto constant = constants_.find(feed.name.value);
    if (constant == constants_.end()) continue;
    feed.source = Feed::Source::kValue;
    feed.value = constant->second;
    feed.shape.reset();
  }
  const auto whole = std::make_shared<const GraphBuilder>(*this);
  return engine.LoadGraph(
      std::make_shared<const Graph>(*std::move(graph)), [whole] { return whole->ToYaml(); }, options);
}

}  // namespace opsrun::host
