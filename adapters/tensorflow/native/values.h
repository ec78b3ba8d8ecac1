// adapters/tensorflow/native/values.h: TensorFlow's data types, tensors and attrs, and those of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "adapters/common/engine.h"
#include "adapters/common/few.h"
#include "adapters/common/values.h"
#include "opsrun/embed.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/op_def.pb.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.h"

namespace opsrun_tf {

// TensorFlow's statuses have the same codes as opsrun's.
inline absl::Status StatusOf(const opsrun_adapter::Failure& failure) {
  return absl::Status(static_cast<absl::StatusCode>(failure.code), failure.what());
}

// Throws Failure unless it is OK.
inline void Require(const absl::Status& status) {
  if (!status.ok()) throw opsrun_adapter::Failure(static_cast<int32_t>(status.code()), std::string(status.message()));
}

// Data types have the same numbers in both. Null for a type that opsrun does not have, such as variants, and for types
// below 8 bits, which TensorFlow stores in whole bytes and opsrun does not.
const opsrun_dldtype* FindType(int32_t dtype);

// For the sizes of tensors, and for slots.
using Room = opsrun_adapter::Room<int64_t>;

// A view of a tensor that the caller owns. Its address is the tensor's handle, so it must not move. Elements are not
// copied; those of string and resource tensors get slots, of 16 and 8 bytes.
class View : public opsrun_tensor {
 public:
  // Of a tensor that does not exist yet.
  View(const opsrun_host* its_host, int32_t its_dtype, opsrun_dldtype its_dl) {
    opsrun_adapter::Expect(*this, its_host, its_dtype, its_dl);
  }
  View(const View&) = delete;

  // Requires: the expected type, and at most OPSRUN_MAX_RANK dimensions. fresh: the elements have never been set.
  // room: must outlive the view. dims: the tensor's sizes, if the caller has them; TensorFlow takes longer to give
  // them.
  void Show(const tensorflow::Tensor& tensor, bool fresh, Room& room, const int64_t* dims = nullptr);
  const tensorflow::Tensor& tensor() const { return *tensor_; }

  // Slots of the host's table for string tensors.
  void AssignString(uint64_t i, const char* p, uint64_t n);
  void SwapStrings(uint64_t i, uint64_t j);

  // Moves what the plugin stored in the slots of a fresh resource tensor into the tensor, which then owns it.
  void KeepResources();

 private:
  [[gnu::noinline]] void* MakeSlots(bool fresh, Room& room);  // keeps Show small
  template <typename Slot, typename Element>
  void* MakeSlots(bool fresh, Room& room, Slot (*slot_of)(const Element& element));
  opsrun_str* strings() { return static_cast<opsrun_str*>(data); }
  const opsrun_resource** resources() { return static_cast<const opsrun_resource**>(data); }

  const tensorflow::Tensor* tensor_;
};

// A view that owns its tensor.
class Owner : public View {
 public:
  Owner(const opsrun_host* its_host, int32_t its_dtype, opsrun_dldtype its_dl, tensorflow::Tensor tensor, bool fresh)
      : View(its_host, its_dtype, its_dl), kept_(std::move(tensor)) {
    Show(kept_, fresh, room_);
  }

 private:
  const tensorflow::Tensor kept_;
  Room room_;
};

// Copies a tensor of another host. Returns a code; on failure, the reason.
int32_t CopyOf(const opsrun_tensor& other, tensorflow::Tensor* copy);

// TensorFlow tensors as opsrun_array.
class Arrays {
 public:
  Arrays() = default;
  Arrays(const Arrays&) = delete;

  // Null if opsrun does not have the type. Valid as long as this object and the tensor.
  const opsrun_array* Add(const tensorflow::Tensor& tensor, int32_t dtype) {
    if (FindType(dtype) == nullptr || dtype == OPSRUN_DT_RESOURCE) return nullptr;
    std::vector<int64_t>& sizes = sizes_.emplace_back();
    for (int i = 0; i < tensor.dims(); ++i) sizes.push_back(tensor.dim_size(i));
    void* data = tensor.data();
    if (dtype == OPSRUN_DT_STRING) {
      std::vector<opsrun_str>& texts = texts_.emplace_back();
      const auto flat = tensor.unaligned_flat<tensorflow::tstring>();
      for (int64_t k = 0; k < flat.size(); ++k) texts.push_back({flat(k).data(), flat(k).size()});
      data = texts.data();
    }
    return &arrays_.emplace_back(opsrun_array{data, sizes.data(), nullptr, dtype, static_cast<int32_t>(sizes.size())});
  }

 private:
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<opsrun_str>> texts_;
  std::deque<opsrun_array> arrays_;
};

// Returns the value of an attr of a node; null if it is not set.
using FindAttr = std::function<const tensorflow::AttrValue*(const std::string& name)>;

// The attrs that a node sets. Others have their defaults in opsrun, and so do tensors without a type (see
// opsrun/tf/_tensor_attrs.py).
class AttrValues : public opsrun_adapter::AttrList {
 public:
  // Throws Failure for tensors of types that opsrun does not have.
  AttrValues(const tensorflow::OpDef& op, const FindAttr& find);

 private:
  void Add(uint32_t kind, const tensorflow::AttrValue& value);
  void AddShape(const tensorflow::TensorShapeProto& shape);
  void AddTensor(const tensorflow::TensorProto& proto);

  std::deque<Owner> tensors_;
};

}  // namespace opsrun_tf
