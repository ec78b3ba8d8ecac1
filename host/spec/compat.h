// host/spec/compat.h: checks whether a graph for one version of an op can run with another version.
//
// The rules are those of TensorFlow: inputs are identified by position and may be renamed; outputs may not be renamed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// A difference between two versions.
struct OpChange {
  bool safe = false;
  std::string rule;     // a word, as listed below, which tests compare
  std::string message;  // a sentence
};

// All differences between an op and its next version. The unsafe ones come first, in this order: op_renamed; for each
// old attr attr_removed, attr_type_changed, allowed_stricter, minimum_raised; attr_added_without_default;
// input_signature, input_made_ref; output_signature, output_unref. Safe ones: attr_added_with_default, allowed_wider,
// minimum_lowered, attrs_reordered, inputs_by_default, input_renamed, input_not_ref, outputs_by_default,
// output_made_ref. CompareDefaults compares the values of defaults.
std::vector<OpChange> CompareOps(const OpDef& old_op, const OpDef& new_op);

// Compares the defaults of attrs that both have: default_removed, default_changed; safe: default_added.
std::vector<OpChange> CompareDefaults(const OpDef& old_op, const OpDef& new_op);

// Attrs that mid_op added must have the same default in new_op: added_without_default, added_default_removed,
// added_default_changed; all of them are unsafe.
std::vector<OpChange> CompareAddedDefaults(const OpDef& old_op, const OpDef& mid_op, const OpDef& new_op);

}  // namespace opsrun::host::spec
