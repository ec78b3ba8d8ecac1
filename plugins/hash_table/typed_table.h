// plugins/hash_table/typed_table.h: a Table from keys of one C++ type to values of another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "opsrun/mutex.h"
#include "opsrun/shard.h"
#include "table.h"

namespace hash_table {

template <typename Key, typename Value>
class TypedTable : public Table {
 public:
  explicit TypedTable(std::string origin)
      : Table(std::move(origin), opsrun::DataTypeToEnum<Key>::value, opsrun::DataTypeToEnum<Value>::value) {}

  opsrun::int64 size() const override {
    opsrun::tf_shared_lock lock(mutex_);
    return static_cast<opsrun::int64>(values_.size());
  }

  void Insert(const opsrun::Tensor& keys, const opsrun::Tensor& values) override {
    const auto new_keys = keys.flat<Key>();
    const auto new_values = values.flat<Value>();
    opsrun::mutex_lock lock(mutex_);
    for (opsrun::int64 i = 0; i < new_keys.size(); ++i) values_[new_keys(i)] = new_values(i);
  }

  // Threads that help read under the caller's lock; they take none themselves.
  void Find(opsrun::OpKernelContext* context, const opsrun::Tensor& keys, const opsrun::Tensor& missing,
            opsrun::Tensor* values) const override {
    constexpr opsrun::int64 kNanosecondsPerKey = 40;
    const auto wanted = keys.flat<Key>();
    const Value& otherwise = missing.scalar<Value>()();
    auto found = values->flat<Value>();
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    opsrun::tf_shared_lock lock(mutex_);
    const Values& entries = values_;
    opsrun::Shard(workers.num_threads, workers.workers, wanted.size(), kNanosecondsPerKey,
                  [&](opsrun::int64 begin, opsrun::int64 end) {
                    for (opsrun::int64 i = begin; i < end; ++i) {
                      const auto entry = entries.find(wanted(i));
                      found(i) = entry == entries.end() ? otherwise : entry->second;
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
    auto out_values = values->flat<Value>();
    opsrun::int64 i = 0;
    for (const Entry* entry : Sorted(values_)) {
      out_keys(i) = entry->first;
      out_values(i++) = entry->second;
    }
    return opsrun::Status::OK();
  }

 private:
  using Values = std::unordered_map<Key, Value>;
  using Entry = typename Values::value_type;

  static std::vector<const Entry*> Sorted(const Values& values) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : values) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->first < b->first; });
    return entries;
  }

  mutable opsrun::mutex mutex_;
  Values values_ TF_GUARDED_BY(mutex_);
};

}  // namespace hash_table
