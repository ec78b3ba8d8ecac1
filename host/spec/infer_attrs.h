// host/spec/infer_attrs.h: infers all attrs and types of a node from the data types of its inputs and its given attrs,
// and chooses its kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// The data types of one input argument. list: the graph passes a list of tensors, not a single one.
struct InputTypes {
  bool list = false;
  std::vector<DType> types;
  bool operator==(const InputTypes&) const = default;
};

// The range of one argument in the flat list of all tensors.
struct ArgRange {
  std::string name;
  uint32_t first = 0;
  uint32_t count = 0;
  bool list = false;

  // For messages, the name of tensor i of the argument: "x"; "xs.2" of a list.
  std::string NameOf(size_t i) const { return list ? name + "." + std::to_string(i) : name; }
};

// The argument that tensor i of the flat list belongs to.
const ArgRange& ArgOf(const std::vector<ArgRange>& args, size_t i);

// A node's op with all attrs and types. Types of arguments declared as Ref(..) are reference types
// (host/spec/op_def.h). If the types of an input are unknown, attrs that depend on them have kind 0, dependent
// types are DType::kInvalid, and dependent lists are empty.
struct Signature {
  std::vector<AttrValue> attrs;  // as OpDef::attrs
  std::vector<DType> in_types;
  std::vector<DType> out_types;
  std::vector<ArgRange> in_args;
  std::vector<ArgRange> out_args;
};

struct InferError {
  enum class Kind {
    kWrongInputType,
    kInconsistentAttr,
    kListExpected,
    kSingleExpected,
    kRefExpected,
    kTooFewInputs,
    kTooManyInputs,
    kMissingAttr,
    kBelowMinimum,
    kAboveMaximum,
    kNotAllowed,
    kWrongAttrKind,
    kUnknownAttr,
  };

  Kind kind = Kind::kWrongInputType;
  std::string subject;  // "attr:T" or "input:x"; empty for kTooManyInputs
  std::string message;
  // The input argument that determined a refused attr, if any. For kInconsistentAttr, the one that disagrees with the
  // subject.
  std::string inferred_from;
  int input_index = -1;  // index within the argument of the tensor at fault, or -1
  bool length = false;   // the number of tensors in a list is wrong, not their types
};

struct Inference {
  Signature signature;
  std::vector<InferError> errors;  // all independent errors; the signature is complete only if there are none
  bool ok() const { return errors.empty(); }
};

// The maximum length of a list argument: a number in a graph must not cause unbounded allocations.
inline constexpr int64_t kMaxListLength = int64_t{1} << 16;

// inputs: one entry per input argument, in declared order; nothing if its types are unknown because of an earlier
// error. Results that depend on such an input are then omitted without another error. given: the attrs that the node
// sets; names that the op does not have are unknown_attr.
Inference InferAttrs(const OpDef& op, const std::vector<std::optional<InputTypes>>& inputs,
                     const std::map<std::string, AttrValue>& given);

// Infers signatures of many nodes. Most of them have the op, types and attrs of another node, and share its signature.
class SharedSignatures {
 public:
  // As InferAttrs; after errors, null. Ops must outlive this object.
  std::shared_ptr<const Signature> Infer(const OpDef& op, std::vector<std::optional<InputTypes>> inputs,
                                         std::map<std::string, AttrValue> given, std::vector<InferError>* errors);

 private:
  struct Known {
    std::vector<std::optional<InputTypes>> inputs;
    std::map<std::string, AttrValue> given;
    std::shared_ptr<const Signature> signature;
  };
  static constexpr size_t kMost = 8;  // per op; then the oldest is replaced

  struct OfOp {
    std::vector<Known> known;
    size_t next = 0;
  };
  std::unordered_map<const OpDef*, OfOp> ops_;
};

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
