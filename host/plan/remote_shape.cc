// host/plan/remote_shape.cc: shape functions that run in another process. It is told what is known of the inputs, and
// what it says is said here again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "host/plan/call_arrays.h"
#include "host/plan/part_text.h"

namespace opsrun::host {
namespace {

class RemoteShape {
 public:
  RemoteShape(Planning& p, const NodeWork& work, ShapeCall& call) : p_(p), work_(work), call_(call) {}

  std::optional<PartFailure> Run() {
    const PartMember member{work_.node, work_.op, work_.signature.get(), work_.inputs, PlanValue::kNone / 2};
    std::vector<uint32_t> inputs;
    ChildPart part(work_.op->plugin->child, WritePart(p_, {&member, 1}, {}, /*constants=*/false, &inputs));
    InferRequest request;
    bool has_elements = false;
    for (uint32_t i = 0; i < call_.n_in; ++i) has_elements = has_elements || p_.elements[work_.inputs[i]] != nullptr;
    for (uint32_t i = 0; i < call_.n_in; ++i) {
      InferInput& input = request.inputs.emplace_back();
      input.shape = ToWire(call_.in[i]);
      const opsrun_shape* elements = nullptr;
      if (has_elements) (void)call_.WantValue(i, nullptr, &elements);
      if (elements != nullptr) input.elements = ToWire(elements);
    }
    request.unknowns = unknowns_.size();
    InferReply reply;
    for (uint32_t round = 0; round <= call_.n_in; ++round) {
      reply = {};
      if (std::optional<PartFailure> failure = part.Infer(request, &reply)) return failure;
      if (!AddWanted(reply, request)) break;
    }
    return Take(reply);
  }

 private:
  WireShape ToWire(const opsrun_shape* shape) {
    WireShape wire{shape->rank >= 0, {}};
    for (int32_t i = 0; i < shape->rank; ++i) {
      const opsrun_dim* const dim = shape->dims[i];
      if (dim->value != -1) {
        known_.try_emplace(dim->value, dim);
        wire.dims.push_back({false, dim->value});
        continue;
      }
      const auto [known, is_new] = numbers_.try_emplace(dim, unknowns_.size());
      if (is_new) unknowns_.push_back(dim);
      wire.dims.push_back({true, static_cast<int64_t>(known->second)});
    }
    return wire;
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

  const opsrun_dim* DimOf(const WireDim& wire) {
    // Nodes of equal shapes have equal dimensions, so that what is known of one serves the next.
    if (!wire.unknown) {
      const auto [known, is_new] = known_.try_emplace(wire.value, nullptr);
      if (is_new) known->second = p_.shapes.MakeDim(wire.value);
      return known->second;
    }
    if (wire.value >= 0 && static_cast<size_t>(wire.value) < unknowns_.size())
      return unknowns_[static_cast<size_t>(wire.value)];
    const auto [known, is_new] = new_.try_emplace(wire.value, nullptr);
    if (is_new) known->second = p_.shapes.MakeDim(-1);
    return known->second;
  }

  Result<const opsrun_shape*> ShapeOf(const WireShape& wire) {
    if (!wire.rank_known) return p_.shapes.Unknown();
    std::vector<const opsrun_dim*> dims;
    for (const WireDim& dim : wire.dims) dims.push_back(DimOf(dim));
    return p_.shapes.MakeShape(static_cast<int32_t>(dims.size()), dims.data());
  }

  // What the process says is checked as what a shape function says is.
  std::optional<PartFailure> Take(const InferReply& reply) {
    const auto wrong = [] {
      return PartFailure{0, Internal("what its process says of the shapes is damaged"), nullptr};
    };
    if (reply.outputs.size() != call_.n_out || reply.elements.size() != call_.n_out ||
        reply.equal_to.size() != unknowns_.size())
      return wrong();
    for (size_t k = 0; k < unknowns_.size(); ++k) {
      if (call_.Equate(unknowns_[k], DimOf(reply.equal_to[k])) != OPSRUN_OK) return wrong();
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

  Planning& p_;
  const NodeWork& work_;
  ShapeCall& call_;
  std::vector<const opsrun_dim*> unknowns_;  // of the inputs, by number
  std::unordered_map<const opsrun_dim*, size_t> numbers_;
  std::unordered_map<int64_t, const opsrun_dim*> known_;  // by size
  std::unordered_map<int64_t, const opsrun_dim*> new_;    // by number
};

}  // namespace

std::optional<Status> InferInChild(Planning& p, const NodeWork& work, ShapeCall& call,
                                   const std::vector<DType>& out_types) {
  const std::optional<PartFailure> failure = RemoteShape(p, work, call).Run();
  if (!failure) return call.CheckOutputElements(out_types);
  if (failure->end == nullptr) return failure->status;
  ReportEnd(p, *work.node, *failure);
  return std::nullopt;
}

}  // namespace opsrun::host
