// host/plan/remote_shape.cc: shape functions that run in another process. It is told what is known of the inputs, and
// what it says is said here again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "host/plan/call_arrays.h"
#include "host/plan/part_text.h"

namespace opsrun::host {
namespace {

// Of operations inside of operations, such as the sums of a Concat of many tensors: a process is told of so many.
constexpr int kMostDepth = 8;

class RemoteShape {
 public:
  RemoteShape(ShapeCall& call, spec::ShapeEngine& engine) : call_(call), engine_(engine) {}

  std::optional<PartFailure> Run(ChildPart& part) {
    InferRequest request;
    for (uint32_t i = 0; i < call_.n_in; ++i) {
      InferInput& input = request.inputs.emplace_back();
      input.shape = ToWire(call_.in[i]);
      if (call_.elements(i) != nullptr) input.elements = ToWire(call_.elements(i));
      // Those that a function can ask for without asking for a value.
      const Tensor* const value = call_.value(i);
      if (value != nullptr && HasElements(value->dtype()) && value->num_elements() <= OPSRUN_MAX_RANK)
        input.value = *value;
    }
    request.unknowns = terms_;
    InferReply reply;
    for (uint32_t round = 0; round <= call_.n_in; ++round) {
      reply = {};
      if (std::optional<PartFailure> failure = part.Infer(request, &reply)) return failure;
      if (!AddWanted(reply, request)) break;
    }
    if (reply.uses_values) call_.NoteUseOfValues();
    return Take(reply);
  }

 private:
  WireShape ToWire(const opsrun_shape* shape) {
    WireShape wire{shape->rank >= 0, {}};
    for (int32_t i = 0; i < shape->rank; ++i) wire.dims.push_back(ToWire(shape->dims[i], kMostDepth));
    return wire;
  }

  // depth: how many more operations the process is told of, one inside the other.
  WireDim ToWire(const opsrun_dim* dim, int depth) {
    if (dim->value != -1) {
      if (dim->value >= 0) known_.try_emplace(dim->value, dim);
      return {false, dim->value};
    }
    if (const auto known = numbers_.find(dim); known != numbers_.end()) return {true, known->second};
    std::optional<WireTerm> wire;
    if (const spec::ShapeEngine::Term* const term = engine_.TermOf(dim); term != nullptr && depth > 0) {
      const WireDim a = ToWire(term->a, depth - 1), b = ToWire(term->b, depth - 1);
      wire = {term->op, a, b};
    }
    const auto number = static_cast<int64_t>(unknowns_.size());
    numbers_.emplace(dim, number);
    unknowns_.push_back(dim);
    terms_.push_back(wire);
    return {true, number};
  }

  // False if nothing more is known.
  bool AddWanted(const InferReply& reply, InferRequest& request) {
    bool added = false;
    for (const uint64_t i : reply.wanted) {
      if (i >= request.inputs.size() || request.inputs[i].value) continue;
      const opsrun_tensor* view = nullptr;
      (void)call_.WantValue(static_cast<uint32_t>(i), &view, nullptr);
      if (view == nullptr) continue;
      Result<Tensor> value =
          Tensor::CopyOf(DTypeFromNumber(view->dtype), Shape(view->shape, view->shape + view->rank), view->data);
      if (!value.ok()) continue;
      request.inputs[i].value = *std::move(value);
      added = true;
    }
    return added;
  }

  // Null if the number is not that of a size.
  const opsrun_dim* DimOf(const WireDim& wire) {
    // Nodes of equal shapes have equal dimensions, so that what is known of one serves the next.
    if (!wire.unknown) {
      const auto [known, is_new] = known_.try_emplace(wire.value, nullptr);
      if (is_new) known->second = engine_.MakeDim(wire.value);
      return known->second;
    }
    const bool is_known = wire.value >= 0 && static_cast<size_t>(wire.value) < unknowns_.size();
    return is_known ? unknowns_[static_cast<size_t>(wire.value)] : nullptr;
  }

  // A new unknown size. One that cannot be computed from others is unknown all the same.
  void Make(const std::optional<WireTerm>& term) {
    const opsrun_dim* const a = term ? DimOf(term->a) : nullptr;
    const opsrun_dim* const b = term ? DimOf(term->b) : nullptr;
    const Result<const opsrun_dim*> made =
        a != nullptr && b != nullptr ? engine_.DimOp(term->op, a, b) : engine_.MakeDim(-1);
    unknowns_.push_back(made.ok() ? *made : engine_.MakeDim(-1));
  }

  Result<const opsrun_shape*> ShapeOf(const WireShape& wire) {
    if (!wire.rank_known) return engine_.Unknown();
    std::vector<const opsrun_dim*> dims;
    for (const WireDim& dim : wire.dims) {
      dims.push_back(DimOf(dim));
      if (dims.back() == nullptr) return Internal("a size that does not exist");
    }
    return engine_.MakeShape(static_cast<int32_t>(dims.size()), dims.data());
  }

  // What the process says is checked as what a shape function says is.
  std::optional<PartFailure> Take(const InferReply& reply) {
    const auto wrong = [] {
      return PartFailure{0, Internal("what its process says of the shapes is damaged"), nullptr};
    };
    const size_t given = unknowns_.size();
    if (reply.outputs.size() != call_.n_out || reply.elements.size() != call_.n_out || reply.equal_to.size() != given)
      return wrong();
    for (const std::optional<WireTerm>& term : reply.made) Make(term);
    for (size_t k = 0; k < given; ++k) {
      const opsrun_dim* const equal = DimOf(reply.equal_to[k]);
      if (equal == nullptr || call_.Equate(unknowns_[k], equal) != OPSRUN_OK) return wrong();
    }
    for (uint32_t i = 0; i < call_.n_out; ++i) {
      const Result<const opsrun_shape*> shape = ShapeOf(reply.outputs[i]);
      if (!shape.ok() || call_.SetOutput(i, *shape) != OPSRUN_OK) return wrong();
      if (!reply.elements[i]) continue;
      const Result<const opsrun_shape*> elements = ShapeOf(*reply.elements[i]);
      if (!elements.ok() || call_.SetOutputValue(i, *elements) != OPSRUN_OK) return wrong();
    }
    return std::nullopt;
  }

  ShapeCall& call_;
  spec::ShapeEngine& engine_;
  std::vector<const opsrun_dim*> unknowns_;     // by number: of the inputs, then new ones
  std::vector<std::optional<WireTerm>> terms_;  // how those of the inputs are computed
  std::unordered_map<const opsrun_dim*, int64_t> numbers_;
  std::unordered_map<int64_t, const opsrun_dim*> known_;  // by size
};

}  // namespace

Status InferInChild(ChildPart& part, ShapeCall& call, spec::ShapeEngine& engine, const std::vector<DType>& out_types) {
  const std::optional<PartFailure> failure = RemoteShape(call, engine).Run(part);
  return failure ? failure->status : call.CheckOutputElements(out_types);
}

std::optional<Status> InferInChild(Planning& p, const NodeWork& work, ShapeCall& call,
                                   const std::vector<DType>& out_types) {
  const PartMember member{work.node, work.op, work.signature.get(), work.inputs, PlanValue::kNone / 2};
  std::vector<uint32_t> inputs;
  ChildPart part(work.op->plugin->child, WritePart(p, {&member, 1}, {}, /*constants=*/false, &inputs));
  const std::optional<PartFailure> failure = RemoteShape(call, p.shapes).Run(part);
  if (!failure) return call.CheckOutputElements(out_types);
  if (failure->end == nullptr) return failure->status;
  ReportEnd(p, *work.node, *failure);
  return std::nullopt;
}

}  // namespace opsrun::host
