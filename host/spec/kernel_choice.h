// host/spec/kernel_choice.h: chooses the kernel of a node.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/spec/infer_attrs.h"
#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// A kernel's registration. A constraint lists the values of an attr that the kernel supports.
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

// The kernel for `op` with the attrs of `signature` on `device`: its constraints hold, its label is equal, and its
// priority is the highest. The order of the kernels does not matter.
KernelChoice ChooseKernel(const OpDef& op, const Signature& signature, const std::vector<const KernelDef*>& kernels,
                          const std::string& device, const std::string& label);

// The attrs whose constraints by the kernel do not hold.
std::vector<std::string> FailedConstraints(const OpDef& op, const Signature& signature, const KernelDef& kernel);

}  // namespace opsrun::host::spec
