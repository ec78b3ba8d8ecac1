// plugins/hash_table/table.h: Table, the object that nodes share: a map from keys to values.
//
// Ops compare its types with theirs before they call it. Thread-safe: lookups run concurrently, inserts alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "opsrun/counted_memory.h"
#include "opsrun/mutex.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_base.h"
#include "opsrun/shard.h"

namespace hash_table {

using namespace opsrun;

class Table : public ResourceBase {
 public:
  Table(std::string origin, DataType keys, DataType values)
      : origin(std::move(origin)), key_dtype(keys), value_dtype(values) {}

  std::string DebugString() const override { return origin; }

  virtual int64 size() const = 0;

  // Requires, here and below: tensors of the table's types. All pairs become visible at once. An existing key gets the
  // new value; of equal keys the last one counts. Requires: as many values as keys.
  // RESOURCE_EXHAUSTED: there is not enough memory for them.
  virtual Status Insert(OpKernelContext* context, const Tensor& keys, const Tensor& values) = 0;

  // Writes the value of each key, or the scalar `missing` for unknown ones; on the host's threads if there are many.
  virtual void Find(OpKernelContext* context, const Tensor& keys, const Tensor& missing, Tensor* values) const = 0;

  // Makes outputs 0 and 1, the keys in ascending order and their values.
  virtual Status Export(OpKernelContext* context) const = 0;

  const std::string origin;  // for messages, such as "table 'words'"
  const DataType key_dtype, value_dtype;
};

// A Table whose values are copied as Bits: strings, or integers of their size.
template <typename Key, typename Bits>
class BitsTable : public Table {
 public:
  using Table::Table;

  int64 size() const override {
    tf_shared_lock lock(mutex_);
    return static_cast<int64>(values_.size());
  }

  Status Insert(OpKernelContext* context, const Tensor& keys, const Tensor& values) override {
    const auto new_keys = keys.flat<Key>();
    const Bits* const new_values = BitsOf(values);
    mutex_lock lock(mutex_);
    TF_RETURN_IF_ERROR(memory_.Set(context, BytesOf(static_cast<int64>(values_.size()) + new_keys.size())));
    for (int64 i = 0; i < new_keys.size(); ++i) values_[new_keys(i)] = new_values[i];
    return memory_.Set(context, BytesOf(static_cast<int64>(values_.size())));
  }

  // Helper threads read under the lock that the caller holds; they do not lock.
  void Find(OpKernelContext* context, const Tensor& keys, const Tensor& missing, Tensor* values) const override {
    constexpr int64 kNanosecondsPerKey = 40;
    const auto wanted = keys.flat<Key>();
    const Bits& otherwise = *BitsOf(missing);
    Bits* const found = const_cast<Bits*>(BitsOf(*values));
    tf_shared_lock lock(mutex_);
    const Values& entries = values_;
    Shard(context, wanted.size(), kNanosecondsPerKey, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) {
        const auto entry = entries.find(wanted(i));
        found[i] = entry == entries.end() ? otherwise : entry->second;
      }
    });
  }

  Status Export(OpKernelContext* context) const override {
    Tensor *keys = nullptr, *values = nullptr;
    tf_shared_lock lock(mutex_);
    const TensorShape shape({static_cast<int64>(values_.size())});
    TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &keys));
    TF_RETURN_IF_ERROR(context->allocate_output(1, shape, &values));
    auto out_keys = keys->flat<Key>();
    Bits* const out_values = const_cast<Bits*>(BitsOf(*values));
    int64 i = 0;
    for (const Entry* entry : Sorted(values_)) {
      out_keys(i) = entry->first;
      out_values[i++] = entry->second;
    }
    return Status::OK();
  }

 private:
  using Values = std::unordered_map<Key, Bits>;
  using Entry = typename Values::value_type;

  // Of that many pairs, about: each is a node of a list, with its hash, and has a bucket. Texts are counted elsewhere.
  static int64 BytesOf(int64 pairs) { return pairs * static_cast<int64>(sizeof(Entry) + 3 * sizeof(void*)); }

  static const Bits* BitsOf(const Tensor& values) {
    if constexpr (std::is_same_v<Bits, tstring>) return values.flat<Bits>().data();
    return static_cast<const Bits*>(values.data());
  }

  static std::vector<const Entry*> Sorted(const Values& values) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : values) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->first < b->first; });
    return entries;
  }

  mutable mutex mutex_;
  Values values_ TF_GUARDED_BY(mutex_);
  CountedMemory memory_ TF_GUARDED_BY(mutex_);
};

}  // namespace hash_table
