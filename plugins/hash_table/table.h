// plugins/hash_table/table.h: Table, the object that nodes share: a map from keys to values.
//
// Ops use a table only through this class; they compare its types with theirs before they call it. All methods are
// thread-safe: lookups run concurrently, inserts exclusively.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "opsrun/check_shapes.h"
#include "opsrun/mutex.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_base.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/shape_inference.h"
#include "opsrun/shard.h"

namespace hash_table {

class Table : public opsrun::ResourceBase {
 public:
  // `origin` is for messages, such as "table 'words'".
  Table(std::string origin, opsrun::DataType keys, opsrun::DataType values)
      : origin_(std::move(origin)), key_dtype_(keys), value_dtype_(values) {}

  const std::string& origin() const { return origin_; }
  opsrun::DataType key_dtype() const { return key_dtype_; }
  opsrun::DataType value_dtype() const { return value_dtype_; }
  std::string DebugString() const override { return origin_; }

  virtual opsrun::int64 size() const = 0;

  // Requires, here and below: tensors of the table's types. All pairs become visible at once. An existing key gets the
  // new value; of equal keys the last one counts. Requires: as many values as keys.
  virtual void Insert(const opsrun::Tensor& keys, const opsrun::Tensor& values) = 0;

  // Writes the value of each key, or the scalar `missing` for unknown ones; on the host's threads if there are many.
  virtual void Find(opsrun::OpKernelContext* context, const opsrun::Tensor& keys, const opsrun::Tensor& missing,
                    opsrun::Tensor* values) const = 0;

  // Makes outputs 0 and 1, the keys in ascending order and their values.
  virtual opsrun::Status Export(opsrun::OpKernelContext* context) const = 0;

 private:
  const std::string origin_;
  const opsrun::DataType key_dtype_, value_dtype_;
};

// A Table whose values are copied as Bits: strings, or integers of their size.
template <typename Key, typename Bits>
class BitsTable : public Table {
 public:
  using Table::Table;

  opsrun::int64 size() const override {
    opsrun::tf_shared_lock lock(mutex_);
    return static_cast<opsrun::int64>(values_.size());
  }

  void Insert(const opsrun::Tensor& keys, const opsrun::Tensor& values) override {
    const auto new_keys = keys.flat<Key>();
    const Bits* const new_values = BitsOf(values);
    opsrun::mutex_lock lock(mutex_);
    for (opsrun::int64 i = 0; i < new_keys.size(); ++i) values_[new_keys(i)] = new_values[i];
  }

  // Helper threads read under the lock that the caller holds; they do not lock.
  void Find(opsrun::OpKernelContext* context, const opsrun::Tensor& keys, const opsrun::Tensor& missing,
            opsrun::Tensor* values) const override {
    constexpr opsrun::int64 kNanosecondsPerKey = 40;
    const auto wanted = keys.flat<Key>();
    const Bits& otherwise = *BitsOf(missing);
    Bits* const found = const_cast<Bits*>(BitsOf(*values));
    opsrun::tf_shared_lock lock(mutex_);
    const Values& entries = values_;
    opsrun::Shard(context, wanted.size(), kNanosecondsPerKey, [&](opsrun::int64 begin, opsrun::int64 end) {
      for (opsrun::int64 i = begin; i < end; ++i) {
        const auto entry = entries.find(wanted(i));
        found[i] = entry == entries.end() ? otherwise : entry->second;
      }
    });
  }

  opsrun::Status Export(opsrun::OpKernelContext* context) const override {
    opsrun::Tensor *keys = nullptr, *values = nullptr;
    opsrun::tf_shared_lock lock(mutex_);
    const opsrun::TensorShape shape({static_cast<opsrun::int64>(values_.size())});
    TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &keys));
    TF_RETURN_IF_ERROR(context->allocate_output(1, shape, &values));
    auto out_keys = keys->flat<Key>();
    Bits* const out_values = const_cast<Bits*>(BitsOf(*values));
    opsrun::int64 i = 0;
    for (const Entry* entry : Sorted(values_)) {
      out_keys(i) = entry->first;
      out_values[i++] = entry->second;
    }
    return opsrun::Status::OK();
  }

 private:
  using Values = std::unordered_map<Key, Bits>;
  using Entry = typename Values::value_type;

  static const Bits* BitsOf(const opsrun::Tensor& values) {
    if constexpr (std::is_same_v<Bits, opsrun::tstring>)
      return values.flat<Bits>().data();
    else
      return static_cast<const Bits*>(values.data());
  }

  static std::vector<const Entry*> Sorted(const Values& values) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : values) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->first < b->first; });
    return entries;
  }

  mutable opsrun::mutex mutex_;
  Values values_ TF_GUARDED_BY(mutex_);
};

// A Table from keys of one C++ type to values of another.
template <typename Key, typename Value>
using BitsTableOf =
    BitsTable<Key, std::conditional_t<std::is_same_v<Value, opsrun::tstring>, opsrun::tstring,
                                      std::conditional_t<sizeof(Value) == sizeof(uint32_t), uint32_t, uint64_t>>>;
template <typename Key, typename Value>
class TypedTable : public BitsTableOf<Key, Value> {
 public:
  explicit TypedTable(std::string origin)
      : BitsTableOf<Key, Value>(std::move(origin), opsrun::DataTypeToEnum<Key>::value,
                                opsrun::DataTypeToEnum<Value>::value) {}
};

// The index of input `table_handle`, the first input of all ops but HashTable.

inline constexpr int kHandle = 0;
using TablePtr = opsrun::core::RefCountPtr<Table>;

// INVALID_ARGUMENT: the handle is known not to be a scalar.
opsrun::Status CheckHandleShape(opsrun::shape_inference::InferenceContext* c);

// The table of the handle. INVALID_ARGUMENT, blaming table_handle: it is the handle of another kind of object.
opsrun::Status FindTable(opsrun::OpKernelContext* context, TablePtr* table);

// The same; also INVALID_ARGUMENT unless the table has these types, which come from the node's tensors or attrs.
opsrun::Status FindTable(opsrun::OpKernelContext* context, opsrun::DataType keys, opsrun::DataType values,
                         TablePtr* table);

// "string to int64"
std::string TypesText(opsrun::DataType keys, opsrun::DataType values);

}  // namespace hash_table
