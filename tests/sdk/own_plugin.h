// tests/sdk/own_plugin.h: the ops and kernels of the plugin that a test itself holds, called as a host calls them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_create.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

// Null if the plugin has none.
inline const opsrun_op* FindOp(const FakeHost& host, const std::string& name) {
  const opsrun_plugin* plugin = opsrun_plugin_v1(host.table());
  for (uint32_t i = 0; i < plugin->n_ops; ++i) {
    if (Text(plugin->ops[i]->name) == name) return plugin->ops[i];
  }
  return nullptr;
}

// The first that fits; null if none does.
inline const opsrun_kernel* FindKernel(const FakeHost& host, const std::string& op,
                                       const std::function<bool(const opsrun_kernel&)>& fits) {
  const opsrun_plugin* plugin = opsrun_plugin_v1(host.table());
  for (uint32_t i = 0; i < plugin->n_kernels; ++i) {
    if (Text(plugin->kernels[i]->op) == op && fits(*plugin->kernels[i])) return plugin->kernels[i];
  }
  return nullptr;
}
// By the type of its first constraint, if it has any.
inline const opsrun_kernel* FindKernel(const FakeHost& host, const std::string& op, int32_t dtype) {
  return FindKernel(host, op, [dtype](const opsrun_kernel& kernel) {
    return kernel.n_constraints == 0 || kernel.constraints[0].v.ints[0] == dtype;
  });
}

// "CODE SUBJECT: SENTENCE"
inline std::string Told(const Failure& failure) {
  return std::to_string(failure.code) + " " + failure.subject + ": " + failure.text;
}
inline std::string Refusal(const std::string& subject, const std::string& sentence,
                           int32_t code = OPSRUN_INVALID_ARGUMENT) {
  return Told({code, sentence, subject});
}

// Makes the kernel, runs it once and destroys it: "ok", or why not.
inline std::string RunOnce(const opsrun_kernel* kernel, FakeCreate& create, FakeCall& call) {
  if (kernel == nullptr) return "no such kernel";
  void* object = nullptr;
  if (create.Run(*kernel, &object) != OPSRUN_OK) return Told(create.failure());
  const int32_t code = call.Run(kernel->compute, object);
  kernel->destroy(object);
  return code == OPSRUN_OK ? "ok" : Told(call.failure());
}

}  // namespace opsrun_test
