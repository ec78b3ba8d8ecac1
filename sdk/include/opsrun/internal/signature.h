// opsrun/internal/signature.h: a kernel's view of its node: names, and the range and data types of each argument.
//
// Both borrow the arrays of c_api.h, which live as long as the kernel object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/slot_tensor.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class OpKernel;

namespace internal {

inline std::string_view TextOf(const opsrun_str& text) {
  return {text.size == 0 ? "" : text.data, text.size};
}

// All inputs, or all outputs, of a node. Lists are flattened.
struct Arguments {
  const char* side;  // "input" or "output"
  const opsrun_arg* args;
  const int32_t* types;
  uint32_t n_args, n_types;

  int size() const { return static_cast<int>(n_types); }
  // DT_INVALID for an index out of range.
  DataType type(int i) const { return i < 0 || i >= size() ? DT_INVALID : static_cast<DataType>(types[i]); }

  // HOST_MEMORY if the kernel's registration requests it, and for strings, resources and variants.
  OPSRUN_COLD MemoryType memory_type(int i) const {
    const opsrun_arg* argument = At(i);
    const bool on_host = argument != nullptr && (argument->flags & OPSRUN_ARG_HOST_MEMORY) != 0;
    return on_host || HasSlots(type(i)) ? HOST_MEMORY : DEVICE_MEMORY;
  }
  OPSRUN_COLD MemoryTypeVector memory_types() const {
    MemoryTypeVector all;
    for (int i = 0; i < size(); ++i) all.push_back(memory_type(i));
    return all;
  }

  // The argument that contains flat index i, or NULL.
  const opsrun_arg* At(int i) const {
    for (uint32_t a = 0; a < n_args; ++a) {
      if (static_cast<uint32_t>(i) - args[a].first < args[a].count) return &args[a];
    }
    return nullptr;
  }
  // "output 2 ('zeroed')"
  OPSRUN_COLD std::string Describe(int i) const {
    const opsrun_arg* argument = At(i);
    if (argument == nullptr) return Format("%s %d", side, i);
    return Format("%s %d ('%.*s')", side, i, static_cast<int>(argument->name.size), argument->name.data);
  }
  // "output:zeroed", or an empty string.
  OPSRUN_COLD std::string Subject(int i) const {
    const opsrun_arg* argument = At(i);
    if (argument == nullptr) return {};
    return Format("%s:%.*s", side, static_cast<int>(argument->name.size), argument->name.data);
  }

  OPSRUN_COLD Status FindRange(std::string_view name, const opsrun_arg** range) const {
    for (uint32_t a = 0; a < n_args; ++a) {
      *range = &args[a];
      if (TextOf(args[a].name) == name) return Status();
    }
    return Error(error::INVALID_ARGUMENT, "The op has no %s '%.*s'", side, static_cast<int>(name.size()), name.data());
  }
  // The flat index of an argument that is not a list.
  OPSRUN_COLD Status FindSingle(std::string_view name, int* i) const {
    const opsrun_arg* range = nullptr;
    TF_RETURN_IF_ERROR(FindRange(name, &range));
    if ((range->flags & OPSRUN_ARG_LIST) != 0) {
      return Error(error::INVALID_ARGUMENT, "The %s '%.*s' is a list; a single tensor was asked for", side,
                   static_cast<int>(name.size()), name.data());
    }
    *i = static_cast<int>(range->first);
    return Status();
  }

  // The flat indices [*begin, *end) of an argument.
  OPSRUN_COLD Status FindBounds(std::string_view name, int* begin, int* end) const {
    const opsrun_arg* range = nullptr;
    TF_RETURN_IF_ERROR(FindRange(name, &range));
    *begin = static_cast<int>(range->first);
    *end = static_cast<int>(range->first + range->count);
    return Status();
  }

  DataTypeVector AllTypes() const {
    DataTypeVector all;
    for (int i = 0; i < size(); ++i) all.push_back(type(i));
    return all;
  }
};

inline Arguments InputsOf(const opsrun_create& create) {
  return {"input", create.in_args, create.in_types, create.n_in_args, create.n_in};
}
inline Arguments OutputsOf(const opsrun_create& create) {
  return {"output", create.out_args, create.out_types, create.n_out_args, create.n_out};
}

// In plugins that call OpKernel::def(): creates and frees the NodeDef of a node; otherwise NULL.
struct NodeKeeper {
  void* (*keep)(const opsrun_create& create);
  void (*drop)(void* node);
};
inline const NodeKeeper* node_keeper = nullptr;

// Small, because it is part of each kernel object: what calls read, and a pointer to what only messages and
// constructors need. So the members of most kernels are in the cache line that a call reads anyway.
class Signature {
 public:
  // kernel: the kernel that this signature belongs to. It may be NULL.
  OPSRUN_COLD explicit Signature(const opsrun_create& create, const OpKernel* kernel = nullptr)
      : plain_inputs_(HasSlotInputs(create) ? 0 : create.n_in), rest_(new Rest(create, kernel)) {}
  Signature(const Signature&) = delete;
  OPSRUN_COLD ~Signature() { delete rest_; }

  const std::string& node() const { return rest_->node; }
  const std::string& op() const { return rest_->op; }
  // The number of inputs whose views can be used directly: all of them, or 0 if one has slots.
  uint32_t plain_inputs() const { return plain_inputs_; }
  const Arguments& inputs() const { return rest_->inputs; }
  const Arguments& outputs() const { return rest_->outputs; }
  const OpKernel* kernel() const { return rest_->kernel; }
  // Made by node_keeper.
  const void* kept_node() const { return rest_->kept_node; }

 private:
  struct Rest {
    __attribute__((always_inline)) Rest(const opsrun_create& create, const OpKernel* the_kernel)
        : kernel(the_kernel),
          node(TextOf(create.node)),
          op(TextOf(create.op)),
          inputs(InputsOf(create)),
          outputs(OutputsOf(create)),
          kept_node(node_keeper == nullptr ? nullptr : node_keeper->keep(create)) {}
    Rest(const Rest&) = delete;
    __attribute__((always_inline)) ~Rest() {
      if (kept_node != nullptr) node_keeper->drop(kept_node);
    }

    const OpKernel* const kernel;
    const std::string node, op;
    const Arguments inputs, outputs;
    void* const kept_node;
  };

  OPSRUN_COLD static bool HasSlotInputs(const opsrun_create& create) {
    for (uint32_t i = 0; i < create.n_in; ++i) {
      if (HasSlots(create.in_types[i])) return true;
    }
    return false;
  }

  const uint32_t plain_inputs_;
  const Rest* const rest_;
};

// A kernel's NodeDef. Using it registers the keeper when the plugin is loaded, before any kernel is created.
template <typename Node>
class KeptNode {
 public:
  static const Node& Of(const Signature& signature) {
    static_cast<void>(&is_registered_);
    return *static_cast<const Node*>(signature.kept_node());
  }

 private:
  static void* Keep(const opsrun_create& create) { return new Node(create); }
  static void Drop(void* node) { delete static_cast<Node*>(node); }
  static constexpr NodeKeeper kKeeper = {&Keep, &Drop};
  static inline const bool is_registered_ = (node_keeper = &kKeeper, true);
};

OPSRUN_COLD inline std::string TypeNames(const DataTypeVector& types) {
  std::string names;
  for (const DataType type : types) {
    if (!names.empty()) names += ", ";
    names += DataTypeName(type);
  }
  return "[" + names + "]";
}

// INVALID_ARGUMENT unless the data types match exactly.
OPSRUN_COLD inline Status MatchTypes(const Arguments& inputs, const Arguments& outputs, const DataTypeVector& in,
                                     const DataTypeVector& out) {
  const DataTypeVector has_in = inputs.AllTypes(), has_out = outputs.AllTypes();
  if (in == has_in && out == has_out) return Status();
  return Error(error::INVALID_ARGUMENT, "Signature mismatch: the op has %s -> %s, the kernel expects %s -> %s",
               TypeNames(has_in).c_str(), TypeNames(has_out).c_str(), TypeNames(in).c_str(), TypeNames(out).c_str());
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
