// host/plan/part_text.h: nodes of a plan as a graph of their own, for the process that runs them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/isolate/part.h"
#include "host/plan/planning.h"

namespace opsrun::host {

// A node of a part.
struct PartMember {
  const Node* node = nullptr;
  const RegisteredOp* op = nullptr;
  const spec::Signature* signature = nullptr;
  std::span<const uint32_t> inputs;  // values
  uint32_t first_output = 0;
};

// outputs: values of the members that are its results. *inputs: the values for its feeds. constants: whether those of a
// few numbers are part of the text; shape functions and kernels of the process may ask for them.
PartText WritePart(const Planning& p, std::span<const PartMember> members, const std::vector<uint32_t>& outputs,
                   bool constants, std::vector<uint32_t>* inputs);

// Runs the shape function of the only node of the part, whose arguments are those of the call.
Status InferInChild(ChildPart& part, ShapeCall& call, spec::ShapeEngine& engine, const std::vector<DType>& out_types);

// Reports that the process ended while it worked on the node.
void ReportEnd(Planning& p, const Node& node, const PartFailure& failure);

}  // namespace opsrun::host
