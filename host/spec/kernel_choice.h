// host/spec/kernel_choice.h: chooses the kernel of a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// A kernel's registration. A constraint is the name of an attr and a list of the values that the kernel supports.
struct KernelDef {
  struct Constraint {
    std::string attr;
    AttrValue allowed;
  };
  std::string op;
  std::string device;  // "CPU", "GPU"
  std::string label;
  int32_t priority = 0;
  std::vector<Constraint> constraints;
  std::vector<std::string> host_memory;
};

// "CPU, T in {float32, int32}, label 'fast', priority 2"
std::string KernelText(const KernelDef& kernel);

struct KernelChoice {
  enum class Outcome { kChosen, kNotFound, kAmbiguous, kBadConstraint };
  Outcome outcome = Outcome::kNotFound;
  int chosen = -1;             // index into the kernels
  std::vector<int> tied;       // kAmbiguous: the kernels of equal priority
  bool attr_mismatch = false;  // kNotFound: a kernel for this device and label exists, but its constraints do not hold
  std::string message;         // a sentence, for kAmbiguous and kBadConstraint
};

// The kernel for `op` with the attrs of `signature` on `device`: all constraints hold, the label is equal, and it has
// the highest priority, independent of the order of the kernels.
KernelChoice ChooseKernel(const OpDef& op, const Signature& signature, const std::vector<const KernelDef*>& kernels,
                          const std::string& device, const std::string& label);

// The names of the kernel's constraints that do not hold.
std::vector<std::string> FailedConstraints(const OpDef& op, const Signature& signature, const KernelDef& kernel);

}  // namespace opsrun::host::spec
