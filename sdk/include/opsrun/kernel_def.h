// opsrun/kernel_def.h: Name("Op").Device(DEVICE_CPU).TypeConstraint<T>("T"), which says what a kernel supports.
//
// The builder is a constant expression if its arguments are, so one expression yields both the note in the file and the
// registration at load time. This is why the arrays have a fixed size and the methods return a changed copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/internal/registration.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class KernelDefBuilder {
  // Defined before its callers: in a constant expression, clang only calls templates whose bodies it has already
  // parsed. Otherwise the notes of kernels with constraints would be "*".
  template <typename T>
  constexpr KernelDefBuilder Constrain(const char* attr, uint32_t kind, const T* begin, const T* end) const {
    KernelDefBuilder def = *this;
    const uint32_t count = static_cast<uint32_t>(end - begin);
    if (n_constraints_ == kMaxConstraints || count > kMaxValues - n_values_) {
      def.too_large_ = true;
      return def;
    }
    def.constraints_[def.n_constraints_++] = {attr, kind, n_values_, count};
    for (; begin != end; ++begin) {
      if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
        def.values_[def.n_values_++].number = static_cast<int64_t>(*begin);
      } else {
        def.values_[def.n_values_++].text = *begin;
      }
    }
    return def;
  }

 public:
  constexpr explicit KernelDefBuilder(const char* op) : op_(op) {}

  constexpr KernelDefBuilder Device(const char* type) const {
    KernelDefBuilder def = *this;
    def.device_ = type;
    return def;
  }
  KernelDefBuilder Device(const std::string& type) const { return Device(type.c_str()); }

  // Allowed values of an attr. With several calls, all constraints must hold.
  template <typename T>
  constexpr KernelDefBuilder TypeConstraint(const char* attr) const {
    return TypeConstraint(attr, DataTypeToEnum<T>::value);
  }
  constexpr KernelDefBuilder TypeConstraint(const char* attr, DataType type) const {
    return Constrain(attr, OPSRUN_ATTR_TYPE, &type, &type + 1);
  }
  constexpr KernelDefBuilder TypeConstraint(const char* attr, std::initializer_list<DataType> types) const {
    return Constrain(attr, OPSRUN_ATTR_TYPE, types.begin(), types.end());
  }
  KernelDefBuilder TypeConstraint(const char* attr, const std::vector<DataType>& types) const {
    return Constrain(attr, OPSRUN_ATTR_TYPE, types.data(), types.data() + types.size());
  }
  // T is an integer type, bool or text.
  template <typename T>
  constexpr KernelDefBuilder AttrConstraint(const char* attr, T value) const {
    return Constrain(attr, KindOf<T>(), &value, &value + 1);
  }
  template <typename T>
  constexpr KernelDefBuilder AttrConstraint(const char* attr, std::initializer_list<T> values) const {
    return Constrain(attr, KindOf<T>(), values.begin(), values.end());
  }

  // The input or output of that name is in host memory, even for a kernel that runs on a device.
  constexpr KernelDefBuilder HostMemory(const char* argument) const {
    KernelDefBuilder def = *this;
    if (def.n_host_memory_ < kMaxHostMemory) {
      def.host_memory_[def.n_host_memory_++] = argument;
    } else {
      def.too_large_ = true;
    }
    return def;
  }
  // The output may use the memory of the input, and the kernel overwrites the input's elements (InPlace) or leaves them
  // unchanged (ReadOnlyAlias). The host may still allocate the output separately: the kernel can compare the data of
  // the two tensors. Both are single tensors, not lists.
  constexpr KernelDefBuilder InPlace(const char* output, const char* input) const {
    return Alias(output, input, OPSRUN_ALIAS_IN_PLACE);
  }
  constexpr KernelDefBuilder ReadOnlyAlias(const char* output, const char* input) const {
    return Alias(output, input, OPSRUN_ALIAS_READ_ONLY);
  }

  // Each element of an output follows from the elements at its place in inputs of the output's shape, and from inputs
  // of one element, and is written after they are read: the host may let an output use the memory of such an input.
  constexpr KernelDefBuilder Elementwise() const { return Flag(OPSRUN_KERNEL_ELEMENTWISE); }
  // With Elementwise or Rows, for kernels that compute an element in the same way wherever it is, and whose messages do
  // not say where: the host may call them for a few rows of the node's tensors at a time, which are still in the cache
  // when the next node reads them.
  constexpr KernelDefBuilder Tiled() const { return Flag(OPSRUN_KERNEL_TILED); }

  // Row i of the output, along the first dimension, follows from row i of the input; it may also depend on all of the
  // inputs for which this is not said.
  constexpr KernelDefBuilder Rows(const char* output, const char* input) const {
    return Alias(output, input, OPSRUN_ALIAS_ROWS);
  }

  // Properties of a kernel that runs on a device: see OPSRUN_KERNEL_* in c_api.h.
  // For equal shapes, attrs and values in host memory, it launches the same work.
  constexpr KernelDefBuilder Capturable() const { return Flag(OPSRUN_KERNEL_CAPTURABLE); }
  // Outputs in host memory are valid only after the stream has been synchronized.
  constexpr KernelDefBuilder HostOutputOnStream() const { return Flag(OPSRUN_KERNEL_HOST_OUTPUT_ON_STREAM); }
  // May wait for its stream.
  constexpr KernelDefBuilder Waits() const { return Flag(OPSRUN_KERNEL_WAITS); }

  constexpr KernelDefBuilder Label(const char* label) const {
    KernelDefBuilder def = *this;
    def.label_ = label;
    return def;
  }
  constexpr KernelDefBuilder Priority(int32_t priority) const {
    KernelDefBuilder def = *this;
    def.priority_ = priority;
    return def;
  }

  // "ZeroOut;CPU;T=3,1;#label"; "*" for a kernel without a device.
  constexpr void WriteNote(internal::NoteWriter* note) const {
    if (device_ == nullptr) return note->Put('*');
    note->Put(op_);
    note->Put(';');
    note->Put(device_);
    for (uint32_t i = 0; i < n_constraints_; ++i) {
      if (constraints_[i].kind == OPSRUN_ATTR_TYPE) WriteTypes(constraints_[i], note);
    }
    if (*label_ != '\0') {
      note->Put(";#");
      note->Put(label_);
    }
  }

  // Fills all fields of `kernel` except its functions. Strings and arrays live as long as the process. Returns false if
  // the definition has more constraints, values or arguments than fit.
  bool Fill(opsrun_kernel* kernel) const;

 private:
  static constexpr uint32_t kMaxConstraints = 8, kMaxValues = 64, kMaxHostMemory = 16, kMaxAliases = 8;

  constexpr KernelDefBuilder Flag(uint32_t flag) const {
    KernelDefBuilder def = *this;
    def.flags_ |= flag;
    return def;
  }
  constexpr KernelDefBuilder Alias(const char* output, const char* input, uint32_t kind) const {
    KernelDefBuilder def = *this;
    if (def.n_aliases_ < kMaxAliases) {
      def.aliases_[def.n_aliases_++] = {output, input, kind};
    } else {
      def.too_large_ = true;
    }
    return def;
  }

  // The allowed values are elements first to first + count - 1 of values_ or, for text, of texts_.
  struct Constraint {
    const char* attr;
    uint32_t kind, first, count;
  };

  template <typename T>
  static constexpr uint32_t KindOf() {
    if constexpr (std::is_same_v<T, bool>) {
      return OPSRUN_ATTR_BOOL;
    } else if constexpr (std::is_integral_v<T>) {
      return OPSRUN_ATTR_INT;
    } else {
      return OPSRUN_ATTR_STRING;
    }
  }

  constexpr void WriteTypes(const Constraint& constraint, internal::NoteWriter* note) const {
    note->Put(';');
    note->Put(constraint.attr);
    for (uint32_t i = 0; i < constraint.count; ++i) {
      note->Put(i == 0 ? '=' : ',');
      note->PutNumber(values_[constraint.first + i].number);
    }
  }

  struct Value {
    int64_t number;
    const char* text;
  };
  struct KernelAlias {
    const char* output;
    const char* input;
    uint32_t kind;
  };

  const char* op_;
  const char* device_ = nullptr;
  const char* label_ = "";
  int32_t priority_ = 0;
  bool too_large_ = false;
  uint32_t flags_ = 0;
  uint32_t n_constraints_ = 0, n_values_ = 0, n_host_memory_ = 0, n_aliases_ = 0;
  Constraint constraints_[kMaxConstraints] = {};
  Value values_[kMaxValues] = {};
  const char* host_memory_[kMaxHostMemory] = {};
  KernelAlias aliases_[kMaxAliases] = {};
};

namespace register_kernel {

// The class that REGISTER_KERNEL_BUILDER finds under the name Name.
class Name : public KernelDefBuilder {
 public:
  using KernelDefBuilder::KernelDefBuilder;
};

}  // namespace register_kernel

OPSRUN_COLD inline bool KernelDefBuilder::Fill(opsrun_kernel* kernel) const {
  kernel->size = sizeof(*kernel);
  kernel->flags = flags_;
  kernel->op = internal::KeepText(op_);
  kernel->device = internal::KeepText(device_ != nullptr ? device_ : "");
  kernel->label = internal::KeepText(label_);
  kernel->priority = priority_;

  auto* constraints = new opsrun_attr[n_constraints_]();
  for (uint32_t i = 0; i < n_constraints_; ++i) {
    const Constraint& from = constraints_[i];
    const Value* values = values_ + from.first;
    constraints[i].name = internal::KeepText(from.attr);
    constraints[i].kind = from.kind | OPSRUN_ATTR_LIST;
    constraints[i].count = from.count;
    if (from.kind == OPSRUN_ATTR_STRING) {
      auto* texts = new opsrun_str[from.count];
      for (uint32_t j = 0; j < from.count; ++j) texts[j] = internal::KeepText(values[j].text);
      constraints[i].v.strs = texts;
    } else {
      auto* numbers = new int64_t[from.count];
      for (uint32_t j = 0; j < from.count; ++j) numbers[j] = values[j].number;
      constraints[i].v.ints = numbers;
    }
  }
  kernel->constraints = constraints;
  kernel->n_constraints = n_constraints_;

  auto* host_memory = new opsrun_str[n_host_memory_];
  for (uint32_t i = 0; i < n_host_memory_; ++i) host_memory[i] = internal::KeepText(host_memory_[i]);
  kernel->host_memory = host_memory;
  kernel->n_host_memory = n_host_memory_;

  auto* aliases = new opsrun_alias[n_aliases_]();
  for (uint32_t i = 0; i < n_aliases_; ++i) {
    const KernelAlias& from = aliases_[i];
    aliases[i] = {internal::KeepText(from.output), internal::KeepText(from.input), from.kind, 0};
  }
  kernel->aliases = aliases;
  kernel->n_aliases = n_aliases_;
  return !too_large_;
}

}  // namespace OPSRUN_HIDDEN
