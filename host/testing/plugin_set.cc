// host/testing/plugin_set.cc
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "host/base/display_text.h"
#include "host/base/environment.h"
#include "host/graph/tensor_value.h"
#include "host/plan/match_node.h"
#include "host/spec/parse_op.h"
#include "host/tensor/number_type.h"
#include "host/testing/made_graph.h"

namespace opsrun::host {
namespace {

// The number of elements in the array; -1 if its size in bytes is not a multiple of the element size.
int64_t CountOf(const test::Array& array) {
  if (array.dtype == OPSRUN_DT_STRING) return static_cast<int64_t>(array.strings.size());
  const size_t size = DTypeSize(DTypeFromNumber(array.dtype));
  return array.bytes.size() % size == 0 ? static_cast<int64_t>(array.bytes.size() / size) : -1;
}

// {value: [[1, 2]], dtype: int32}. For an invalid array an empty map, which the reader of the map reports.
Value TensorText(const test::Array& array, Span span) {
  Value map = MapValue(span);
  const Result<Tensor> tensor = ToTensor(array);
  if (!tensor.ok()) return map;
  AddEntry(map, "value", ElementsValue(*tensor, span));
  AddEntry(map, "dtype", StringValue(DTypeName(tensor->dtype()), span));
  return map;
}

std::string KindText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// Both arrays, each starting on a new line.
std::string Both(const Tensor& found, const Tensor& expected) {
  return fmt::format("\n  found:\n{}\n  expected:\n{}", PrintTensor(found), PrintTensor(expected));
}

std::string WorstText(const Tensor& found, const Tensor& expected, const Comparison& comparison) {
  std::string text = fmt::format("at {}: found {}, expected {}", IndexText(found.shape(), comparison.place),
                                 ElementText(found, comparison.place), ElementText(expected, comparison.place));
  if (std::isnan(comparison.difference)) return text;
  text += fmt::format(": {:.6g} apart", comparison.difference);
  return comparison.allowed == 0 ? text : text + fmt::format(", at most {:.6g} is allowed", comparison.allowed);
}

}  // namespace

Result<Tensor> ToTensor(const test::Array& array) {
  const DType dtype = DTypeFromNumber(array.dtype);
  if (!HasValues(dtype)) return InvalidArgument(fmt::format("an array cannot be of type {}", DTypeName(dtype)));
  Result<Tensor> tensor = Tensor::Create(dtype, array.shape);
  if (!tensor.ok()) return tensor;
  if (CountOf(array) != tensor->num_elements()) {
    return InvalidArgument(fmt::format("an array of shape {} has {} elements, and the test gives {}",
                                       ShapeText(array.shape), tensor->num_elements(), CountOf(array)));
  }
  if (dtype != DType::kString) {
    if (!array.bytes.empty()) std::memcpy(tensor->mutable_data(), array.bytes.data(), array.bytes.size());
    return tensor;
  }
  for (size_t i = 0; i < array.strings.size(); ++i) {
    const Status set = tensor->SetString(static_cast<int64_t>(i), array.strings[i]);
    if (!set.ok()) return set;
  }
  return tensor;
}

test::Array ToArray(const Tensor& tensor) {
  test::Array array{DTypeNumber(tensor.dtype()), tensor.shape(), {}, {}};
  if (tensor.dtype() != DType::kString) {
    array.bytes.assign(static_cast<const char*>(tensor.data()), tensor.num_bytes());
    return array;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) array.strings.emplace_back(tensor.string(i));
  return array;
}

Value ToValue(const test::AttrValue& value, Span span) {
  using Kind = test::AttrValue::Kind;
  switch (value.kind) {
    case Kind::kInt:
      return PlainValue(std::to_string(value.number), span);
    case Kind::kFloat:
      return PlainValue(ExactText(value.real), span);
    case Kind::kBool:
      return PlainValue(value.number != 0 ? "true" : "false", span);
    case Kind::kString:
      return StringValue(value.text, span);
    case Kind::kTensor:
      return TensorText(*value.tensor, span);
    default: {
      Value list = ListValue(span);
      for (const test::AttrValue& item : value.items) list.items.push_back(ToValue(item, span));
      return list;
    }
  }
}

Result<std::map<std::string, spec::AttrValue>> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs) {
  std::map<std::string, spec::AttrValue> given;
  for (const auto& [name, value] : attrs) {
    const spec::AttrDef* const attr = op.FindAttr(name);
    if (attr == nullptr) {
      std::vector<std::string> names;
      for (const spec::AttrDef& each : op.attrs) names.push_back(each.name);
      return InvalidArgument(
          fmt::format("op '{}' has no attr '{}'\n  help: {}", op.name, name, DidYouMean(name, names, "attrs")));
    }
    AttrMistake mistake;
    std::optional<spec::AttrValue> converted = AttrFromValue(*attr, ToValue(value, {}), &mistake);
    if (!converted) return InvalidArgument(mistake.message + "\n  help: " + mistake.help, "attr:" + name);
    given.emplace(name, *std::move(converted));
  }
  return given;
}

std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    return fmt::format("{} is {}, expected {}{}", name, KindText(found), KindText(expected), Both(found, expected));
  }
  const Comparison comparison = CompareTensors(found, expected, tolerance);
  if (comparison.wrong == 0) return "";
  return fmt::format("{} differs in {} of {} elements; worst: {}{}", name, comparison.wrong, found.num_elements(),
                     WorstText(found, expected, comparison), Both(found, expected));
}

namespace {

constexpr char kNoFiles[] =
    "no plugin file was given\n  help: build the test with opsrun_add_plugin_test(), or name the file in the "
    "environment: OPSRUN_TEST_PLUGINS=my_op.so";

int32_t CutFor(opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) {
  for (int64_t end = n, part = 1; end > 0; end -= part, part = end < 3 ? end : 3) {
    if (const int32_t code = fn(ctx, end - part, end); code != OPSRUN_OK) return code;
  }
  return OPSRUN_OK;
}

int32_t FourThreads(opsrun_call*) {
  return 4;
}

// Makes parallel_for run on the calling thread, in uneven parts of 1 to 3 indices, the last part first, and makes
// num_threads return 4.
void CutLoops(opsrun_host& host) {
  host.parallel_for = CutFor;
  host.num_threads = FourThreads;
}

std::string RefusalText(const std::string& path, const Refusal& refusal) {
  std::string text = fmt::format("plugin file '{}' cannot be used: {}", path, refusal.reason);
  return refusal.remedy.empty() ? text : text + "\n  help: " + refusal.remedy;
}

}  // namespace

PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options) {
  PluginSet set;
  EngineOptions of_engine;
  of_engine.default_plugins = false;
  of_engine.threads = options.threads;
  of_engine.device = options.device;
  if (options.isolate) of_engine.isolate = {kIsolateAll};
  if (options.cut_loops) of_engine.host.adjust = CutLoops;
  Diagnostics none;  // no directories are named, so none can be missing
  set.engine = Engine::Create(std::move(of_engine), none);
  if (files.empty()) set.trouble = kNoFiles;
  for (const std::string& path : files) {
    std::string name;
    if (const std::optional<Refusal> refusal = set.engine->AddFile(path, &name)) {
      set.trouble = RefusalText(path, *refusal);
      break;
    }
  }
  if (options.seen != nullptr) set.engine->AddBuiltIn(BuiltInOps(options.seen));
  set.loaded = set.engine->OpenAll();
  return set;
}

std::string PluginSet::WhyNoOp(const std::string& op) const {
  return fmt::format("no op named '{}'\n  help: {}", op, DidYouMean(op, engine->catalog()->OpNames(), "ops"));
}

}  // namespace opsrun::host

namespace opsrun::test {

PluginFiles FindPluginFiles(const char* built_in) {
  const char* const named = host::Environment("OPSRUN_TEST_PLUGINS");
  std::string rest = named != nullptr ? named : built_in;
  PluginFiles files;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (end != 0) files.push_back(rest.substr(0, end));
    rest.erase(0, end == std::string::npos ? end : end + 1);
  }
  return files;
}

}  // namespace opsrun::test

namespace opsrun::host {
namespace {

// The kernel object of Late and Reader is the entry where it records an address. Each node has its own entry, so nodes
// may run concurrently.
int32_t CreateWitness(void* seen, opsrun_create* create, void** kernel) {
  const std::string name(create->node.data, create->node.size);
  *kernel = &(*static_cast<MemorySeen*>(seen))[name];
  return OPSRUN_OK;
}
void KeepObject(void*) {}

void See(void* kernel, const opsrun_tensor* tensor) {
  *static_cast<const void**>(kernel) = tensor->data;
}

int32_t Late(void* kernel, opsrun_call* call) {
  if (const int32_t code = call->host->set_output(call, 0, call->in[0]); code != OPSRUN_OK) return code;
  See(kernel, call->out[0]);
  return OPSRUN_OK;
}

int32_t Read(void* kernel, opsrun_call* call) {
  See(kernel, call->in[0]);
  return OPSRUN_OK;
}

struct HandleKey {
  std::string name, type;
};

opsrun_str Borrow(const std::string& text) {
  return {text.data(), text.size()};
}

int32_t CreateHandle(void*, opsrun_create* create, void** kernel) {
  const auto text = [&](uint32_t i) { return std::string(create->attrs[i].v.s.data, create->attrs[i].v.s.size); };
  *kernel = new HandleKey{text(0), text(1)};
  return OPSRUN_OK;
}
void DestroyHandle(void* kernel) {
  delete static_cast<HandleKey*>(kernel);
}

int32_t MakeObject(void*, void** object) {
  *object = new char;
  return OPSRUN_OK;
}
void DestroyObject(void* object) {
  delete static_cast<char*>(object);
}

// The tensor takes the reference that `resource` returns.
int32_t GiveHandle(void* kernel, opsrun_call* call) {
  const auto& key = *static_cast<const HandleKey*>(kernel);
  opsrun_tensor* out = nullptr;
  if (const int32_t code = call->host->allocate_output(call, 0, 0, nullptr, &out); code != OPSRUN_OK) return code;
  if (key.type.empty()) return OPSRUN_OK;
  return call->host->resource(call, {}, Borrow(key.name), Borrow(key.type), MakeObject, nullptr, DestroyObject,
                              static_cast<const opsrun_resource**>(out->data));
}

void AddOp(Plugin& plugin, const spec::OpStrings& strings) {
  RegisteredOp& op = plugin.ops.emplace_back();
  op.plugin = &plugin;
  const std::vector<spec::SpecError> none = spec::ParseOp(strings, &op.def);
  static_cast<void>(none);  // the strings below are valid; every test would detect an error
}

void AddKernel(Plugin& plugin, const char* op, const char* device, void* ctx, decltype(RegisteredKernel::create) create,
               decltype(RegisteredKernel::compute) compute, decltype(RegisteredKernel::destroy) destroy) {
  RegisteredKernel& kernel = plugin.kernels.emplace_back();
  kernel.plugin = &plugin;
  kernel.def.op = op;
  kernel.def.device = device;
  kernel.ctx = ctx;
  kernel.create = create;
  kernel.compute = compute;
  kernel.destroy = destroy;
}

}  // namespace

std::shared_ptr<const Plugin> BuiltInOps(MemorySeen* seen) {
  auto own = std::make_shared<Plugin>();
  Plugin& plugin = *own;
  plugin.path = "opsrun::testing";
  plugin.name = "opsrun_testing";
  AddOp(plugin, {.name = kLateOp, .inputs = {"x: T"}, .outputs = {"y: T"}, .attrs = {"T: type"}});
  AddOp(plugin, {.name = kReaderOp, .inputs = {"x: T"}, .attrs = {"T: type"}});
  AddOp(plugin,
        {.name = kHandleOp, .outputs = {"handle: resource"}, .attrs = {"name: string = ''", "type: string = ''"}});
  // They do not access elements, so they work on any device.
  for (const char* const device : {"CPU", "GPU"}) {
    AddKernel(plugin, kLateOp, device, seen, CreateWitness, Late, KeepObject);
    AddKernel(plugin, kReaderOp, device, seen, CreateWitness, Read, KeepObject);
  }
  AddKernel(plugin, kHandleOp, "CPU", nullptr, CreateHandle, GiveHandle, DestroyHandle);
  return own;
}

}  // namespace opsrun::host
