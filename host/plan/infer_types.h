// host/plan/infer_types.h: the attrs and types of a node, without a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/plan/build_plan.h"
#include "host/spec/infer_attrs.h"

namespace opsrun::host {

struct TypedNode {
  const RegisteredOp* op = nullptr;
  spec::Signature signature;
};

// The first node of the graph, whose inputs are feeds. Nothing, and at least one error in `diagnostics`, if there is no
// such op or it does not accept the inputs or attrs. Runs no code of plugins.
std::optional<TypedNode> TypeNode(const PlanInputs& inputs, Diagnostics& diagnostics);

}  // namespace opsrun::host
