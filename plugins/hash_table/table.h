// plugins/hash_table/table.h: Table, the object that nodes share: keys and what they stand for.
//
// Ops know a table only through this class; which types it holds, they compare before they call. Every method may be
// called from any thread: many look up at once, one inserts at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/op_kernel.h"
#include "opsrun/resource_base.h"

namespace hash_table {

class Table : public opsrun::ResourceBase {
 public:
  // `origin`: how messages call it, such as "table 'words'".
  Table(std::string origin, opsrun::DataType keys, opsrun::DataType values)
      : origin_(std::move(origin)), key_dtype_(keys), value_dtype_(values) {}

  const std::string& origin() const { return origin_; }
  opsrun::DataType key_dtype() const { return key_dtype_; }
  opsrun::DataType value_dtype() const { return value_dtype_; }
  std::string DebugString() const override { return origin_; }

  virtual opsrun::int64 size() const = 0;

  // Requires, here and below: tensors of the table's types. All pairs are inserted before anybody sees one of them; a
  // key that is there already gets the new value, and of equal keys the last one counts. Requires: as many values as
  // keys.
  virtual void Insert(const opsrun::Tensor& keys, const opsrun::Tensor& values) = 0;

  // Writes the value of each key, or `missing`, a scalar; on the host's threads if there are many.
  virtual void Find(opsrun::OpKernelContext* context, const opsrun::Tensor& keys, const opsrun::Tensor& missing,
                    opsrun::Tensor* values) const = 0;

  // Makes outputs 0 and 1, the keys in ascending order and their values.
  virtual opsrun::Status Export(opsrun::OpKernelContext* context) const = 0;

 private:
  const std::string origin_;
  const opsrun::DataType key_dtype_, value_dtype_;
};

}  // namespace hash_table
