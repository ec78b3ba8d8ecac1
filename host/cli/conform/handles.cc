// SPDX-License-Identifier: Apache-2.0
#include "host/cli/conform/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "host/cli/conform/conform.h"
#include "host/run/host_table.h"
#include "host/tensor/resources.h"

namespace opsrun::host {
namespace {

using HandleSlot = const opsrun_resource*;

constexpr int kDrawsForMaker = 40;

HandleSlot* HandlesOf(Tensor& tensor) {
  return static_cast<HandleSlot*>(tensor.mutable_data());
}

std::string HandleText(HandleSlot handle) {
  if (handle == nullptr) return "a null handle";
  return fmt::format("a handle of a '{}'", std::string_view(handle->type.data, handle->type.size));
}

bool Takes(const RegisteredOp& op, DType handles) {
  return std::ranges::any_of(op.def.inputs, [&](const spec::ArgDef& arg) { return arg.dtype == handles; });
}

bool Makes(const RegisteredOp& op, DType handles) {
  const auto is_one = [&](const spec::ArgDef& arg) { return arg.dtype == handles && !arg.is_list(); };
  return std::ranges::any_of(op.def.outputs, is_one) && !Takes(op, DType::kResource) && !Takes(op, DType::kVariant);
}

// Changes only what the handle refers to.
bool Changes(const RegisteredOp& op, DType handles) {
  return op.def.outputs.empty() && std::ranges::count(op.def.inputs, handles, &spec::ArgDef::dtype) == 1 &&
         !Takes(op, handles == DType::kResource ? DType::kVariant : DType::kResource);
}

size_t IndexOf(const std::vector<DType>& types, DType type) {
  return static_cast<size_t>(std::ranges::find(types, type) - types.begin());
}

std::string OutputName(const spec::Signature& signature, uint32_t i) {
  const auto range = std::ranges::find(signature.out_args, i, &spec::ArgRange::first);
  return range == signature.out_args.end() ? "" : range->name;
}

}  // namespace

Tensor NullHandles(DType dtype, const Shape& shape) {
  const int64_t count = NumElements(shape).value_or(0);
  void* const memory = std::calloc(static_cast<size_t>(count) + 1, sizeof(HandleSlot));
  if (memory == nullptr) throw std::bad_alloc();
  const auto release = [count](void* elements) {
    for (int64_t i = 0; i < count; ++i) {
      if (const HandleSlot handle = static_cast<HandleSlot*>(elements)[i]) Resources::Release(handle);
    }
    std::free(elements);
  };
  Result<Tensor> made = Tensor::OfHandles(dtype, shape, std::shared_ptr<void>(memory, release));
  if (!made.ok()) throw std::bad_alloc();
  return *std::move(made);
}

Tensor CopyOfHandles(DType dtype, const Shape& shape, const void* elements) {
  Tensor copy = NullHandles(dtype, shape);
  for (int64_t i = 0; i < copy.num_elements(); ++i) {
    const HandleSlot handle = static_cast<const HandleSlot*>(elements)[i];
    if (handle != nullptr) Resources::Retain(handle);
    HandlesOf(copy)[i] = handle;
  }
  return copy;
}

Tensor ForeignHandle(Engine& engine, DType dtype) {
  static const char owner = 0;
  static unsigned char object[256];
  const auto make = [](void*, void** obj) -> int32_t { return *obj = object, OPSRUN_OK; };
  Tensor tensor = NullHandles(dtype, {});
  engine.resources().FindOrMake({&owner, "", "foreign", "Foreign"}, {make, nullptr, nullptr}, ShareHost(engine.host()),
                                HandlesOf(tensor));
  return tensor;
}

std::string HandleDifference(const Tensor& found, const Tensor& expected, int64_t place) {
  const std::string is = HandleText(static_cast<const HandleSlot*>(found.data())[place]);
  return is == HandleText(static_cast<const HandleSlot*>(expected.data())[place]) ? "" : is;
}

Result<HandleMaker::Made> HandleMaker::Make(TestHost& host) const {
  host.engine().resources().Clear();  // what still has references lives on, without a name
  Made made;
  for (const Node& node : nodes_) {
    CallInputs call = node.call;
    Diagnostics ignored;
    std::shared_ptr<const SourceFile> source;
    const std::shared_ptr<const KernelObject> kernel = node.op->MakeKernel({}, ignored, &source);
    if (kernel == nullptr) return FailedPrecondition("there is no kernel");
    made.kernels.push_back(kernel);
    call.op = node.op.get();
    call.kernel = kernel.get();
    const bool is_maker = &node == &nodes_.front();
    if (!is_maker) call.inputs[node.handle] = made.handle;
    const Outcome outcome = host.Call(call, {});
    if (!outcome.ok()) return Status(outcome.code, outcome.text);
    if (is_maker) made.handle = outcome.outputs[output_];
  }
  return made;
}

Result<CallInputs> WithHandles(TestHost& host, const CallInputs& call, std::vector<HandleMaker::Made>& made) {
  CallInputs with = call;
  with.makers.clear();
  for (const auto& [input, maker] : call.makers) {
    Result<HandleMaker::Made> one = maker->Make(host);
    if (!one.ok()) return one.status();
    with.inputs[input] = one->handle;
    made.push_back(*std::move(one));
  }
  return with;
}

std::string HandleMaker::Text() const {
  std::string text;
  for (const Node& node : nodes_) {
    const std::string inputs = TextOf(*node.graph, node.call.inputs);
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", then ", node.op->op().def.name,
                        inputs.starts_with("; ") ? inputs.substr(2) : inputs);
  }
  return text;
}

void HandleMaker::AddTo(Graph& graph, std::map<std::string, Tensor>& feeds, const std::string& prefix,
                        Reference& handle) const {
  const auto named = [&](const std::string& name) { return fmt::format("{}_{}", prefix, name); };
  const Reference made = {
      named(nodes_[0].graph->nodes[0].name.value),
      nodes_[0].op->op().def.outputs.size() == 1 ? "" : OutputName(nodes_[0].op->signature(), output_),
      -1,
      {}};
  for (const Node& node : nodes_) {
    opsrun::host::Node copy = node.graph->nodes[0];
    copy.name.value = named(copy.name.value);
    size_t i = 0;
    for (NodeInput& input : copy.inputs) {
      for (Reference& from : input.from) {
        if (&node != &nodes_[0] && i == node.handle) {
          from = made;
        } else {
          Feed& feed = graph.feeds.emplace_back(node.graph->feeds[i]);
          feed.name.value = from.name = named(fmt::format("{}_{}", copy.name.value, feed.name.value));
          feeds[feed.name.value] = node.call.inputs[i];
        }
        ++i;
      }
    }
    if (&node != &nodes_[0]) graph.nodes[0].after.push_back(copy.name);
    graph.nodes.push_back(std::move(copy));
  }
  handle = made;
}

std::shared_ptr<const HandleMaker> HandleMakers::Find(DType handles, DType type, uint64_t number, std::string* reason) {
  std::shared_ptr<const HandleMaker>& found = found_[{handles, type, number}];
  if (found == nullptr) found = Draw(handles, type, number, reason);
  return found;
}

std::shared_ptr<const HandleMaker> HandleMakers::Draw(DType handles, DType type, uint64_t number, std::string* reason) {
  std::vector<const RegisteredOp*> makers, changers;
  for (const RegisteredOp& op : op_.plugin->ops) {
    if (Makes(op, handles)) makers.push_back(&op);
    if (Changes(op, handles) && &op != &op_) changers.push_back(&op);
  }
  const std::string unsupported = fmt::format("inputs of type {} cannot be drawn: ", DTypeName(handles));
  if (makers.empty()) {
    *reason = fmt::format("{}plugin '{}' has no op that makes one and takes none", unsupported, op_.plugin->name);
    return nullptr;
  }
  for (uint64_t seed = number * kDrawsForMaker; seed < (number + 1) * kDrawsForMaker; ++seed) {
    const std::optional<HandleMaker::Node> maker = DrawNodeOf(*makers[seed % makers.size()], type, seed, "maker");
    if (!maker) continue;
    const auto output = static_cast<uint32_t>(IndexOf(maker->op->signature().out_types, handles));
    auto made = std::make_shared<const HandleMaker>(std::vector{*maker}, output);
    if (!made->Make(host_).ok()) continue;
    const bool changed = number % 4 != 0 && !changers.empty();
    for (uint64_t i = seed; changed && i < seed + kDrawsForMaker; ++i) {
      std::optional<HandleMaker::Node> change = DrawNodeOf(*changers[i % changers.size()], type, i, "change");
      if (!change) continue;
      change->handle = IndexOf(change->op->signature().in_types, handles);
      auto more = std::make_shared<const HandleMaker>(std::vector{*maker, *std::move(change)}, output);
      if (more->Make(host_).ok()) return more;
    }
    return made;
  }
  *reason = fmt::format("{}op '{}' made none with the attrs that were drawn", unsupported, makers[0]->def.name);
  return nullptr;
}

// Attrs with defaults keep them: names such as shared_name would be those of other nodes, too.
std::optional<HandleMaker::Node> HandleMakers::DrawNodeOf(const RegisteredOp& op, DType type, uint64_t seed,
                                                          const char* name) {
  Problem problem;
  problem.seed = seed;
  problem.type = type;
  std::string ignored;
  if (!DrawNode(op, problem, &ignored)) return std::nullopt;
  auto graph = std::make_shared<Graph>(*problem.graph);
  graph->nodes[0].name.value = name;
  std::erase_if(graph->nodes[0].attrs, [&](const NodeAttr& attr) {
    const spec::AttrDef* const def = op.def.FindAttr(attr.name.value);
    return def != nullptr && def->default_value.has_value() && def->type.kind == OPSRUN_ATTR_STRING;
  });
  problem.graph = graph;
  Diagnostics found;
  const std::shared_ptr<LoadedGraph> loaded = ops_.WithGraph(problem.graph, {});
  std::optional<TypedNode> node = loaded->TypeFirstNode(found);
  if (!node) return std::nullopt;
  problem.op = std::make_shared<const TypedOp>(loaded, *std::move(node));
  bool too_large = false;
  if (!InferOutputShapes(problem, &ignored, &too_large) || too_large) return std::nullopt;
  return HandleMaker::Node{problem.graph, problem.op, problem.call};
}

}  // namespace opsrun::host
