// host/plan/infer_types.h: the attrs and types of a single node, without a plan.
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

// Types the first node of the graph, whose inputs are feeds. Returns nothing, and at least one error in `diagnostics`,
// if the op does not exist or does not accept the inputs or attrs. Does not run code of plugins.
std::optional<TypedNode> TypeNode(const PlanInputs& inputs, Diagnostics& diagnostics);

}  // namespace opsrun::host
