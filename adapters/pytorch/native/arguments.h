// adapters/pytorch/native/arguments.h: the arguments of an operator, as PyTorch passes them to its kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "values.h"

namespace opsrun_torch {

struct ArgSpec {
  std::string name;
  bool list;
};
struct AttrSpec {
  std::string name;
  uint32_t kind;  // OPSRUN_ATTR_*
  bool optional;
};

// An operator: its inputs, then attrs, and its outputs.
struct OpSpec {
  std::string name;        // "zero_out.ZeroOut"
  std::string torch_name;  // "opsrun_zero_out::ZeroOut"
  std::vector<ArgSpec> inputs;
  std::vector<AttrSpec> attrs;
  std::vector<ArgSpec> outputs;
};

// What distinguishes two kinds of calls of an op: the types of its inputs and the values of its attrs, as numbers.
//
//   an input         its type, as PyTorch's number; before those of a list: how many there are
//   an optional attr 1, then its value, or 0
//   a value          a number, or the bits of a float; a string: its size in bytes, then the bytes; a list, or a shape:
//                    its length, then its elements; a tensor: type, rank, sizes, then the bytes of its elements. Bytes
//                    are padded with zeros to a whole number
//
// opsrun/torch/_op.py makes the same of Python's values.
using Key = std::vector<int64_t>;

// Calls fn for each tensor of an argument until it returns false. False if it did.
template <typename Fn>
bool AllTensors(const ArgSpec& spec, StableIValue value, Fn fn) {
  if (!spec.list) return fn(reinterpret_cast<AtenTensorHandle>(value));
  const auto list = reinterpret_cast<StableListHandle>(value);
  const auto n = Get<size_t>(torch_list_size, list);
  for (size_t i = 0; i < n; ++i) {
    if (!fn(reinterpret_cast<AtenTensorHandle>(Get<StableIValue>(torch_list_get_item, list, i)))) return false;
  }
  return true;
}

// Of all arguments.
template <typename Fn>
bool AllTensors(const std::vector<ArgSpec>& specs, const StableIValue* stack, Fn fn) {
  for (const ArgSpec& spec : specs) {
    if (!AllTensors(spec, *stack++, fn)) return false;
  }
  return true;
}

// The value of an attr on a stack; null for None.
inline const StableIValue* GivenAttr(const AttrSpec& attr, const StableIValue* value) {
  return attr.optional ? reinterpret_cast<const StableIValue*>(*value) : value;
}

// The arguments on a stack. Frees them, as kernels must.
class Arguments {
 public:
  Arguments(const OpSpec& spec, StableIValue* stack) : spec_(spec), stack_(stack) {}
  Arguments(const Arguments&) = delete;
  ~Arguments() { Free(); }

  // The card that inputs are on; kNoCard: all are in CPU memory. Raises for tensors that kernels cannot use.
  int32_t Card() const;
  static constexpr int32_t kNoCard = -1;
  // Requires: kernels can use the inputs. The result is valid until the next call of this thread.
  const Key& ToKey() const;
  // fn: called for each tensor of the inputs, lists flattened.
  template <typename Fn>
  void ForEachInput(Fn fn) const {
    AllTensors(spec_.inputs, stack_, [&](AtenTensorHandle tensor) { return fn(tensor), true; });
  }
  void Free();

 private:
  const OpSpec& spec_;
  StableIValue* stack_;  // null: they are freed
};

// Reads a key.
class KeyReader {
 public:
  explicit KeyReader(const Key& key) : at_(key.data()) {}
  int64_t Next() { return *at_++; }
  const char* Bytes(size_t n) {
    const auto* const bytes = reinterpret_cast<const char*>(at_);
    at_ += (n + 7) / 8;
    return bytes;
  }
  const int64_t* Numbers(size_t n) {
    const int64_t* const numbers = at_;
    at_ += n;
    return numbers;
  }

 private:
  const int64_t* at_;
};

// The attrs in a key, which must outlive it. Attrs that are left out are inferred by opsrun, or have the default.
class AttrValues : public opsrun_adapter::AttrList {
 public:
  // key: behind the inputs.
  AttrValues(const std::vector<AttrSpec>& specs, KeyReader& key);

 private:
  void Add(uint32_t kind, KeyReader& key);
  void AddTensor(KeyReader& key);

  struct Constant : opsrun_tensor {
    int64_t strides_[OPSRUN_MAX_RANK];
  };
  std::deque<Constant> tensors_;
};

}  // namespace opsrun_torch
