// host/plan/create_kernel.h: creates a kernel object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/plan/call_arrays.h"
#include "host/plan/plan.h"
#include "host/tensor/resources.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// opsrun_create of c_api.h, with the host's data. All arguments must outlive it.
class CreateCall : public opsrun_create {
 public:
  CreateCall(const opsrun_host* host, const std::string& node, const std::string& op, const CallArrays& arrays,
             const spec::Signature& signature, const PlanDevice& device, Resources* resources, const void* plugin);
  CreateCall(const CreateCall&) = delete;

  // Creates the object; returns the result of create as a Status.
  Status Run(int32_t (*create)(void*, opsrun_create*, void**), void* ctx, void** object);

  // Implements host->fail. Thread-safe.
  int32_t Fail(int32_t code, std::string text, std::string subject);

  const PlanDevice& on;        // where the kernel will run
  Resources* const resources;  // objects that kernels share; may be null
  const void* const plugin;    // that the kernel belongs to

 private:
  std::vector<int32_t> types_;  // of inputs, then of outputs
  std::mutex mutex_;
  Status failure_;
};

}  // namespace opsrun::host
