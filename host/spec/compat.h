// host/spec/compat.h: may a graph that was written for one version of an op be run with another?
//
// The rules are those of TensorFlow. Tensors count by position there: an input may get another name, an output may not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// One difference between two versions.
struct OpChange {
  bool safe = false;
  std::string rule;     // a word, as listed below: tests compare it
  std::string message;  // a sentence
};

// The differences between an op and its next version, all of them; first the unsafe ones, which are, in this order:
// op_renamed; for each old attr attr_removed, attr_type_changed, allowed_stricter, minimum_raised;
// attr_added_without_default; input_signature, input_made_ref; output_signature, output_unref. Safe ones:
// attr_added_with_default, allowed_wider, minimum_lowered, attrs_reordered, inputs_by_default, input_renamed,
// input_not_ref, outputs_by_default, output_made_ref. Values of defaults are CompareDefaults' business.
std::vector<OpChange> CompareOps(const OpDef& old_op, const OpDef& new_op);

// The same for defaults of attrs that both have: default_removed, default_changed; safe: default_added.
std::vector<OpChange> CompareDefaults(const OpDef& old_op, const OpDef& new_op);

// Attrs that came with mid_op have the same default in new_op: added_without_default, added_default_removed,
// added_default_changed; none of them is safe.
std::vector<OpChange> CompareAddedDefaults(const OpDef& old_op, const OpDef& mid_op, const OpDef& new_op);

bool AllSafe(const std::vector<OpChange>& changes);

}  // namespace opsrun::host::spec
