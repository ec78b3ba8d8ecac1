// opsrun_compat/op_registry.h: OpRegistry: the ops that this plugin registers, by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/registration.h"
#include "opsrun/op.h"
#include "opsrun/status.h"
#include "opsrun_compat/op_def.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

struct OpRegistrationData {
  OpDef op_def;
};

class OpRegistry {
 public:
  static OpRegistry* Global() {
    static OpRegistry registry;
    return &registry;
  }

  // *data lives as long as the process. NOT_FOUND: this plugin has no such op.
  ReturnedStatus LookUp(const std::string& name, const OpRegistrationData** data) const {
    for (const OpRegistrationData& op : ops_) {
      *data = &op;
      if (op.op_def.name() == name) return Status();
    }
    return errors::NotFound("Op type not registered '", name, "' in this plugin");
  }
  ReturnedStatus LookUpOpDef(const std::string& name, const OpDef** def) const {
    const OpRegistrationData* data = nullptr;
    TF_RETURN_IF_ERROR(LookUp(name, &data));
    *def = &data->op_def;
    return Status();
  }
  // One name a line.
  std::string DebugString(bool /*include_internal*/) const {
    std::string names;
    for (const OpRegistrationData& op : ops_) names += op.op_def.name() + "\n";
    return names;
  }

 private:
  OpRegistry() {
    for (const auto* at = opsrun_sdk_registrations; at != nullptr; at = at->next) {
      if (at->op != nullptr) ops_.push_back({OpDef(*at->op)});
    }
  }

  std::vector<OpRegistrationData> ops_;
};

}  // namespace OPSRUN_HIDDEN
