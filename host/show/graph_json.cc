// host/show/graph_json.cc: a graph as JSON, and the types, shapes and values in it.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "host/base/text.h"
#include "host/show/graph_dot.h"
#include "host/show/graph_text.h"

namespace opsrun::host {
namespace {

Json DimJson(const ResolvedDim& dim) {
  if (dim.size >= 0) return dim.size;
  return dim.unknown == 0 ? Json(nullptr) : Json(UnknownName(dim.unknown));
}

Json ShapeJson(const ResolvedShape& shape) {
  if (!shape.rank_known) return nullptr;
  Json dims = Json::array();
  for (const ResolvedDim& dim : shape.dims) dims.push_back(DimJson(dim));
  return dims;
}

Json ScalarJson(const Value& value) {
  if (const auto truth = AsBool(value)) return *truth;
  if (const auto number = AsInt(value)) return *number;
  if (const auto number = AsUint(value)) return *number;
  if (const auto number = AsFloat(value); number && std::isfinite(*number)) return *number;
  return value.text;
}

// {"dtype": "float32", "shape": [2, "?a", null]}. An unknown size is null, or a name if several tensors share it; the
// shape is null if the rank is unknown. If `value` is null (unknown because of an error), both are null.
Json TypeJson(const ResolvedValue* value) {
  const bool known = value != nullptr && value->dtype != DType::kInvalid;
  return {{"dtype", known ? Json(DTypeName(value->dtype)) : Json()},
          {"shape", value != nullptr ? ShapeJson(value->shape) : Json()}};
}

// YAML as JSON. ".inf", "-.inf" and ".nan", which JSON cannot express, are strings; a string that is not UTF-8 is
// {"base64": "/wB6"}.
Json ValueJson(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return nullptr;
    case Value::Kind::kScalar:
      return ScalarJson(value);
    case Value::Kind::kBytes:
      return {{"base64", EncodeBase64(value.text)}};
    case Value::Kind::kList: {
      Json list = Json::array();
      for (const Value& item : value.items) list.push_back(ValueJson(item));
      return list;
    }
    case Value::Kind::kMap: {
      Json map = Json::object();
      for (const Value::Entry& entry : value.entries) map[entry.key] = ValueJson(entry.value);
      return map;
    }
  }
  return nullptr;
}

class GraphJsonWriter {
 public:
  GraphJsonWriter(const Graph& graph, const Resolution& resolution, const NodeTimes* times)
      : graph_(graph),
        resolution_(resolution),
        times_(times),
        wiring_(graph, resolution),
        names_(ValueNames(resolution, graph)) {}

  Json Document() const {
    Json feeds = Json::array(), nodes = Json::array(), outputs = Json::array();
    for (size_t i = 0; i < graph_.feeds.size(); ++i) feeds.push_back(FeedJson(i));
    for (size_t i = 0; i < graph_.nodes.size(); ++i) nodes.push_back(NodeJson(i));
    for (const GraphOutput& output : graph_.outputs) outputs.push_back(OutputJson(output));
    Json json = {{"feeds", feeds}, {"nodes", nodes}, {"outputs", outputs}};
    if (times_ != nullptr) {
      json["times"] = {{"run_ns", times_->run},
                       {"nodes_ns", times_->all - times_->copies - times_->round_trips},
                       {"copies_ns", times_->copies},
                       {"round_trips_ns", times_->round_trips}};
    }
    return json;
  }

 private:
  // Null for a value that is missing because of an error.
  const ResolvedValue* FindValue(uint32_t value) const {
    return value < resolution_.values.size() ? &resolution_.values[value] : nullptr;
  }

  Json FeedJson(size_t i) const {
    const Feed& feed = graph_.feeds[i];
    Json json = {{"name", feed.name.value}};
    json.update(TypeJson(i < resolution_.feed_values.size() ? FindValue(resolution_.feed_values[i]) : nullptr));
    for (const Value::Entry& entry : SourceOfFeed(feed).entries) json[entry.key] = ValueJson(entry.value);
    return json;
  }

  Json NodeJson(size_t i) const {
    const Node& node = graph_.nodes[i];
    const ResolvedNode& resolved = wiring_.Resolved(i);
    Json json = {{"name", node.name.value}, {"op", node.op.value}, {"plugin", nullptr}};
    if (resolved.op != nullptr) {
      const Plugin& plugin = *resolved.op->plugin;
      json["op"] = resolved.op->def.name;
      json["plugin"] = {{"name", plugin.name}, {"version", plugin.version}};
    }
    json["inputs"] = Json::array();
    json["attrs"] = Json::object();
    json["outputs"] = Json::array();
    if (resolved.signature) {
      for (const spec::ArgRange& range : resolved.signature->in_args) {
        for (uint32_t k = 0; k < range.count; ++k) json["inputs"].push_back(InputJson(range, k, resolved));
      }
      for (const spec::ArgRange& range : resolved.signature->out_args) {
        for (uint32_t k = 0; k < range.count; ++k) {
          json["outputs"].push_back(ValueOfArgument(range.name, resolved.first_output + range.first + k));
        }
      }
    }
    for (const NodeAttr& attr : node.attrs) json["attrs"][attr.name.value] = ValueJson(attr.value);
    for (const Located<std::string>& before : node.after) json["after"].push_back(before.value);
    if (node.label) json["label"] = node.label->value;
    if (node.device) json["device"] = node.device->value;
    if (node.stop_gradient) json["stop_gradient"] = true;
    if (node.isolate) json["isolate"] = true;
    if (node.sandbox) json["sandbox"] = true;
    if (node.gradient_of) json["gradient_of"] = node.gradient_of->value;
    if (times_ != nullptr) {
      json["time"] = {{"ns", times_->nodes[i]}, {"share", times_->Share(times_->nodes[i])}};
      if (times_->with[i] != i) json["time"]["with"] = graph_.nodes[times_->with[i]].name.value;
    }
    return json;
  }

  Json InputJson(const spec::ArgRange& range, uint32_t k, const ResolvedNode& resolved) const {
    const size_t at = range.first + k;
    return ValueOfArgument(range.name, at < resolved.inputs.size() ? resolved.inputs[at] : ResolvedNode::kNone);
  }

  Json ValueOfArgument(const std::string& argument, uint32_t value) const {
    const ResolvedValue* const found = FindValue(value);
    return TensorJson(argument, found == nullptr ? "" : names_[value], found);
  }

  Json OutputJson(const GraphOutput& output) const {
    const std::vector<uint32_t> values = wiring_.Find(output.from).values;
    Json json = {{"name", output.name.value}, {"tensor", ReferenceText(output.from)}};
    json.update(TypeJson(values.size() == 1 ? FindValue(values[0]) : nullptr));
    return json;
  }

  const Graph& graph_;
  const Resolution& resolution_;
  const NodeTimes* const times_;  // null: not measured
  const Wiring wiring_;
  const std::vector<std::string> names_;
};

Json ShapeJson(const spec::PartialShape& shape) {
  return shape.rank_known ? Json(shape.dims) : Json();
}

// JSON has no infinity and no NaN, so these are written as in graph files.
Json FloatJson(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? ".nan" : value < 0 ? "-.inf" : ".inf";
}

Json ElementJson(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return value.ints[i];
    case OPSRUN_ATTR_BOOL:
      return value.ints[i] != 0;
    case OPSRUN_ATTR_TYPE:
      return DTypeName(DTypeFromNumber(value.ints[i]));
    case OPSRUN_ATTR_FLOAT:
      return FloatJson(value.floats[i]);
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return TextJson(value.strings[i]);
    case OPSRUN_ATTR_SHAPE:
      return ShapeJson(value.shapes[i]);
    default:
      return {{"dtype", DTypeName(value.tensors[i].dtype)}, {"shape", value.tensors[i].shape}};
  }
}

}  // namespace

std::string GraphJson(const Graph& graph, const Resolution& resolution, const NodeTimes* times) {
  return JsonDocument(GraphJsonWriter(graph, resolution, times).Document());
}

Json TensorJson(const std::string& argument, const std::string& tensor, const ResolvedValue* value) {
  Json json = {{"argument", argument}, {"tensor", tensor}};
  json.update(TypeJson(value));
  return json;
}

Json TextJson(const std::string& text) {
  return IsUtf8(text) ? Json(text) : Json{{"base64", EncodeBase64(text)}};
}

Json AttrValueJson(const spec::AttrValue& value, bool list) {
  Json all = Json::array();
  for (size_t i = 0; i < value.size(); ++i) all.push_back(ElementJson(value, i));
  return list ? all : all.at(0);
}

}  // namespace opsrun::host
