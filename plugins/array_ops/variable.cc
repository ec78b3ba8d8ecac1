// plugins/array_ops/variable.cc: see variable.h.
// SPDX-License-Identifier: Apache-2.0
#include "variable.h"

#include <cstring>

#include "integers.h"
#include "opsrun/register_types.h"
#include "sums.h"

namespace array_ops {

using namespace opsrun;

namespace {

template <typename T>
void UpdateAll(char* bytes, const void* amount, int64 n, bool subtract) {
  T* const value = reinterpret_cast<T*>(bytes);
  const T* const by = static_cast<const T*>(amount);
  for (int64 i = 0; i < n; ++i) value[i] = subtract ? Difference(value[i], by[i]) : Sum(value[i], by[i]);
}

}  // namespace

Status Variable::NotAssigned() const {
  return errors::FailedPrecondition(name_, " has no value yet; assign one first, and put that node in 'after'")
      .Blame("input:resource");
}

Status Variable::Assign(const Tensor& value, bool once) {
  if (!shape_.IsCompatibleWith(value.shape())) {
    return Wrong("value", name_, " has the shape ", shape_.DebugString(), ", but the shape of value is ",
                 value.shape().DebugString());
  }
  mutex_lock lock(mutex_);
  if (once && assigned_) return Status::OK();
  const char* const bytes = static_cast<const char*>(value.data());
  bytes_.assign(bytes, bytes + value.TotalBytes());
  size_ = value.shape();
  assigned_ = true;
  return Status::OK();
}

Status Variable::Update(const Tensor& amount, bool subtract) {
  mutex_lock lock(mutex_);
  if (!assigned_) return NotAssigned();
  if (amount.shape() != size_) {
    return Wrong("value", name_, " holds a tensor of shape ", size_.DebugString(), ", but the shape of value is ",
                 amount.shape().DebugString());
  }
#define UPDATE(T) \
  if (dtype_ == DataTypeToEnum<T>::value) UpdateAll<T>(bytes_.data(), amount.data(), size_.num_elements(), subtract);
  TF_CALL_NUMBER_TYPES(UPDATE)
#undef UPDATE
  return Status::OK();
}

Status Variable::Read(const PartialTensorShape& expected, OpKernelContext* context) const {
  mutex_lock lock(mutex_);
  if (!assigned_) return NotAssigned();
  if (!expected.IsCompatibleWith(size_)) {
    return errors::InvalidArgument(name_, " holds a tensor of shape ", size_.DebugString(), ", but this node asks for ",
                                   expected.DebugString())
        .Blame("attr:shape");
  }
  Tensor* value = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, size_, &value));
  if (!bytes_.empty()) std::memcpy(value->data(), bytes_.data(), bytes_.size());
  return Status::OK();
}

}  // namespace array_ops
