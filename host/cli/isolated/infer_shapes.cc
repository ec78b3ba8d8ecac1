// host/cli/isolated/infer_shapes.cc: runs shape functions.
// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "host/cli/isolated/server.h"
#include "host/plan/call_arrays.h"

namespace opsrun::host {
namespace {

// Sizes that both sides know by number.
class Unknowns {
 public:
  Unknowns(spec::ShapeEngine& engine, const std::vector<std::optional<WireTerm>>& given) : engine_(engine) {
    for (const std::optional<WireTerm>& term : given) {
      const Result<const opsrun_dim*> dim =
          term ? engine.DimOp(term->op, DimOf(term->a), DimOf(term->b)) : engine.MakeDim(-1);
      given_.push_back(dim.ok() ? *dim : engine.MakeDim(-1));
    }
  }

  const opsrun_dim* DimOf(const WireDim& wire) {
    const bool known = wire.unknown && static_cast<uint64_t>(wire.value) < given_.size();
    return known ? given_[static_cast<size_t>(wire.value)] : engine_.MakeDim(wire.unknown ? -1 : wire.value);
  }
  Result<const opsrun_shape*> ShapeOf(const WireShape& wire) {
    if (!wire.rank_known) return engine_.Unknown();
    std::vector<const opsrun_dim*> dims;
    for (const WireDim& dim : wire.dims) dims.push_back(DimOf(dim));
    return engine_.MakeShape(static_cast<int32_t>(dims.size()), dims.data());
  }

  WireDim ToWire(const opsrun_dim* dim) {
    const opsrun_dim* const found = engine_.Find(dim);
    if (found->value != -1) return {false, found->value};
    if (numbers_.empty()) {
      for (size_t k = 0; k < given_.size(); ++k) numbers_.try_emplace(engine_.Find(given_[k]), k);
    }
    if (const auto known = numbers_.find(found); known != numbers_.end())
      return {true, static_cast<int64_t>(known->second)};
    std::optional<WireTerm> wire;
    if (const spec::ShapeEngine::Term* const term = engine_.TermOf(found)) {
      const WireDim a = ToWire(term->a), b = ToWire(term->b);
      wire = {term->op, a, b};
    }
    const size_t number = given_.size() + made_.size();
    numbers_.emplace(found, number);
    made_.push_back(wire);
    return {true, static_cast<int64_t>(number)};
  }
  WireShape ToWire(const opsrun_shape* shape) {
    const opsrun_shape* const refined = engine_.Refined(shape);
    WireShape wire{refined->rank >= 0, {}};
    for (int32_t i = 0; i < refined->rank; ++i) wire.dims.push_back(ToWire(refined->dims[i]));
    return wire;
  }
  // What ToWire has numbered beyond those that were given.
  const std::vector<std::optional<WireTerm>>& made() const { return made_; }
  std::vector<WireDim> Given() {
    std::vector<WireDim> all;
    for (const opsrun_dim* const dim : given_) all.push_back(ToWire(dim));
    return all;
  }

 private:
  spec::ShapeEngine& engine_;
  std::vector<const opsrun_dim*> given_;
  std::unordered_map<const opsrun_dim*, size_t> numbers_;
  std::vector<std::optional<WireTerm>> made_;
};

}  // namespace

Status Server::Infer(WireReader& in, std::string& body) {
  const auto part = parts_.find(in.Number());
  InferRequest request;
  Read(in, request);
  if (!in.Ends() || part == parts_.end()) return Damaged();
  Diagnostics diagnostics;
  const std::optional<TypedNode> node = part->second.whole.graph->TypeFirstNode(diagnostics);
  if (!node || diagnostics.has_errors())
    return Internal(diagnostics.has_errors() ? FirstError(diagnostics)->message : "the node has no types");
  spec::ShapeEngine engine;
  Unknowns unknowns(engine, request.unknowns);
  OpShapeInputs inputs;
  for (const InferInput& input : request.inputs) {
    const Result<const opsrun_shape*> shape = unknowns.ShapeOf(input.shape);
    if (!shape.ok()) return shape.status();
    engine.MarkSizes(*shape);
    inputs.shapes.push_back(*shape);
    inputs.values.push_back(input.value ? &*input.value : nullptr);
    inputs.as_shapes.push_back(nullptr);
    if (!input.elements) continue;
    const Result<const opsrun_shape*> elements = unknowns.ShapeOf(*input.elements);
    if (!elements.ok()) return elements.status();
    inputs.as_shapes.back() = *elements;
  }
  if (inputs.shapes.size() != node->signature->in_types.size()) return Damaged();
  const CallArrays arrays(node->op->def, *node->signature, {}, engine_->host());
  const Node& named = part->second.whole.graph->graph()->nodes.front();
  const SingleCall call(FactsOfNode(node->op->plugin, *node->op, named.name.value, named.op.span,
                                    part->second.whole.graph->source(), PluginPhase::kShape));
  const RunningMark mark(&call);
  const Result<OpShapeOutputs> outputs =
      InferOpShapes(*node->op, arrays, *node->signature, engine_->host(), inputs, engine);
  if (!outputs.ok()) return outputs.status();
  InferReply reply;
  for (const opsrun_shape* const shape : outputs->shapes) reply.outputs.push_back(unknowns.ToWire(shape));
  for (const opsrun_shape* const elements : outputs->as_shapes) {
    std::optional<WireShape>& wire = reply.elements.emplace_back();
    if (elements != nullptr) wire = unknowns.ToWire(elements);
  }
  reply.wanted.assign(outputs->wanted.begin(), outputs->wanted.end());
  reply.equal_to = unknowns.Given();
  reply.made = unknowns.made();
  reply.uses_values = outputs->uses_values;
  WireWriter out(body);
  Write(out, reply);
  return OkStatus();
}

}  // namespace opsrun::host
