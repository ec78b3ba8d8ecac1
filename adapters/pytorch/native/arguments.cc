// adapters/pytorch/native/arguments.cc
// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>
#include <cstring>

namespace opsrun_torch {
namespace {

StableListHandle ListOf(StableIValue value) {
  return reinterpret_cast<StableListHandle>(value);
}

template <typename Fn>
void ForEachItem(StableIValue value, Fn fn) {
  const StableListHandle list = ListOf(value);
  const auto n = Get<size_t>(torch_list_size, list);
  for (size_t i = 0; i < n; ++i) fn(Get<StableIValue>(torch_list_get_item, list, i));
}

void AddBytes(Key& key, const void* bytes, size_t n) {
  if (n == 0) return;
  const size_t begin = key.size();
  key.resize(begin + (n + 7) / 8);
  key.back() = 0;
  std::memcpy(&key[begin], bytes, n);
}

void AddText(Key& key, StableIValue value) {
  const auto text = reinterpret_cast<StringHandle>(value);
  const auto size = Get<size_t>(torch_string_length, text);
  key.push_back(static_cast<int64_t>(size));
  AddBytes(key, Get<const char*>(torch_string_c_str, text), size);
}

bool IsDense(AtenTensorHandle tensor) {
  return Get<int32_t>(aoti_torch_get_layout, tensor) == kStrided;
}
int32_t DeviceOf(AtenTensorHandle tensor) {
  return Get<int32_t>(aoti_torch_get_device_type, tensor);
}

void AddTensor(Key& key, const OpSpec& spec, AtenTensorHandle tensor) {
  if (!IsDense(tensor) || DeviceOf(tensor) != kCpu) {
    Raise(OPSRUN_UNIMPLEMENTED,
          spec.torch_name + ": an attr is a tensor that is not dense in CPU memory; use .cpu() or .to_dense()");
  }
  const int32_t number = TypeOf(tensor), rank = RankOf(tensor);
  const TypeNumbers* const type = FindTorchType(number);
  if (type == nullptr) {
    Raise(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of " + TypeName(number) + ", which opsrun does not have");
  }
  if (rank > OPSRUN_MAX_RANK) Raise(OPSRUN_INVALID_ARGUMENT, "an attr is a tensor of more than 64 dimensions");
  const int64_t* const sizes = SizesOf(tensor);
  key.insert(key.end(), {number, rank});
  key.insert(key.end(), sizes, sizes + rank);
  const Tensor copy = IsPlain(*type, tensor, DataOf(tensor)) ? nullptr : PlainCopyOf(*type, tensor);
  AddBytes(key, DataOf(copy != nullptr ? copy.get() : tensor), BytesOf(*type, rank, sizes));
}

void AddValue(Key& key, const OpSpec& spec, uint32_t kind, StableIValue value) {
  if ((kind & OPSRUN_ATTR_LIST) != 0 || kind == OPSRUN_ATTR_SHAPE) {
    const size_t length = key.size();
    key.push_back(0);
    ForEachItem(value, [&](StableIValue item) {
      ++key[length];
      AddValue(key, spec, kind == OPSRUN_ATTR_SHAPE ? OPSRUN_ATTR_INT : kind & ~OPSRUN_ATTR_LIST, item);
    });
    return;
  }
  switch (kind) {
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return AddText(key, value);
    case OPSRUN_ATTR_TENSOR:
      return AddTensor(key, spec, reinterpret_cast<AtenTensorHandle>(value));
    case OPSRUN_ATTR_TYPE:
      return key.push_back(static_cast<int32_t>(value));
    default:
      return key.push_back(static_cast<int64_t>(value));
  }
}

[[noreturn]] void RefusePlace(const OpSpec& spec, AtenTensorHandle tensor) {
  if (!Get<bool>(aoti_torch_is_defined, tensor)) {
    Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": an input is an undefined tensor");
  }
  const bool on_device = DeviceOf(tensor) == kCpu || DeviceOf(tensor) == kCuda;
  Raise(OPSRUN_UNIMPLEMENTED, spec.torch_name +
                                  " runs on dense tensors in CPU memory or on an NVIDIA GPU, but an input is " +
                                  (!IsDense(tensor) ? "not dense; use .to_dense()"
                                   : on_device      ? "quantized; use .dequantize()"
                                                    : "on another device; use .cpu()"));
}

// Notes the card that a tensor is on.
void CheckPlace(const OpSpec& spec, AtenTensorHandle tensor, int32_t& card) {
  int32_t device = -1;  // an undefined tensor has none
  const bool known = aoti_torch_get_device_type(tensor, &device) == 0 && (device == kCpu || device == kCuda);
  const bool usable = known && IsDense(tensor);
  const int32_t type = usable ? TypeOf(tensor) : 0;
  if (!usable || (FindTorchType(type) == nullptr && TypeName(type)[0] == 'Q')) RefusePlace(spec, tensor);
  if (device == kCpu) return;
  const auto mine = Get<int32_t>(aoti_torch_get_device_index, tensor);
  if (card != Arguments::kNoCard && card != mine) {
    Raise(OPSRUN_INVALID_ARGUMENT, spec.torch_name + ": inputs are on different devices, cuda:" + std::to_string(card) +
                                       " and cuda:" + std::to_string(mine) + "; move them to one");
  }
  card = mine;
}

void FreeValue(uint32_t kind, StableIValue value) {
  if ((kind & OPSRUN_ATTR_LIST) != 0 || kind == OPSRUN_ATTR_SHAPE) {
    if (kind != OPSRUN_ATTR_SHAPE)
      ForEachItem(value, [&](StableIValue item) { FreeValue(kind & ~OPSRUN_ATTR_LIST, item); });
    torch_delete_list(ListOf(value));
  } else if (kind == OPSRUN_ATTR_TENSOR) {
    aoti_torch_delete_tensor_object(reinterpret_cast<AtenTensorHandle>(value));
  } else if (kind == OPSRUN_ATTR_STRING || kind == OPSRUN_ATTR_FUNC) {
    torch_delete_string(reinterpret_cast<StringHandle>(value));
  }
}

}  // namespace

int32_t Arguments::Card() const {
  int32_t card = kNoCard;
  ForEachInput([&](AtenTensorHandle tensor) { CheckPlace(spec_, tensor, card); });
  return card;
}

const Key& Arguments::ToKey() const {
  thread_local Key key;
  key.clear();
  const StableIValue* value = stack_;
  for (const ArgSpec& input : spec_.inputs) {
    if (input.list) key.push_back(static_cast<int64_t>(Get<size_t>(torch_list_size, ListOf(*value))));
    AllTensors(input, *value++, [&](AtenTensorHandle tensor) {
      key.push_back(TypeOf(tensor));
      return true;
    });
  }
  for (const AttrSpec& attr : spec_.attrs) {
    const StableIValue* const given = GivenAttr(attr, value++);
    if (attr.optional) key.push_back(given != nullptr ? 1 : 0);
    if (given != nullptr) AddValue(key, spec_, attr.kind, *given);
  }
  return key;
}

void Arguments::Free() {
  if (stack_ == nullptr) return;
  const StableIValue* value = stack_;
  for (const ArgSpec& input : spec_.inputs) {
    FreeValue(OPSRUN_ATTR_TENSOR | (input.list ? OPSRUN_ATTR_LIST : 0), *value++);
  }
  for (const AttrSpec& attr : spec_.attrs) {
    const StableIValue* const given = GivenAttr(attr, value++);
    if (given == nullptr) continue;
    FreeValue(attr.kind, *given);
    if (attr.optional) delete given;
  }
  stack_ = nullptr;
}

AttrValues::AttrValues(const std::vector<AttrSpec>& specs, KeyReader& key) {
  for (const AttrSpec& attr : specs) {
    if (attr.optional && key.Next() == 0) continue;
    Begin(attr.name, attr.kind);
    const int64_t n = (attr.kind & OPSRUN_ATTR_LIST) != 0 ? key.Next() : 1;
    for (int64_t i = 0; i < n; ++i) Add(attr.kind & ~OPSRUN_ATTR_LIST, key);
  }
}

void AttrValues::Add(uint32_t kind, KeyReader& key) {
  const int64_t first = kind == OPSRUN_ATTR_TENSOR ? 0 : key.Next();
  switch (kind) {
    case OPSRUN_ATTR_FLOAT: {
      double value;
      std::memcpy(&value, &first, sizeof(value));
      return AddFloat(value);
    }
    case OPSRUN_ATTR_TYPE: {
      const TypeNumbers* const type = FindTorchType(static_cast<int32_t>(first));
      if (type != nullptr) return AddInt(type->opsrun);
      Raise(OPSRUN_INVALID_ARGUMENT, "opsrun has no data type " + TypeName(static_cast<int32_t>(first)));
    }
    case OPSRUN_ATTR_SHAPE: {
      const auto rank = static_cast<size_t>(first);
      const int64_t* const sizes = key.Numbers(rank);
      return AddShape({sizes, sizes + rank});
    }
    case OPSRUN_ATTR_TENSOR:
      return AddTensor(key);
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC: {
      const auto size = static_cast<size_t>(first);
      return AddText({key.Bytes(size), size});
    }
    default:
      return AddInt(first);
  }
}

void AttrValues::AddTensor(KeyReader& key) {
  const TypeNumbers& type = *FindTorchType(static_cast<int32_t>(key.Next()));
  const auto rank = static_cast<int32_t>(key.Next());
  const int64_t* const sizes = key.Numbers(static_cast<size_t>(rank));
  const char* const data = key.Bytes(BytesOf(type, rank, sizes));
  Constant& view = tensors_.emplace_back();
  opsrun_adapter::Expect(view, nullptr, type.opsrun, type.dl, OPSRUN_TENSOR_CONST);
  opsrun_adapter::Show(view, const_cast<char*>(data), rank, const_cast<int64_t*>(sizes), view.strides_);
  AttrList::AddTensor(&view);
}

}  // namespace opsrun_torch
