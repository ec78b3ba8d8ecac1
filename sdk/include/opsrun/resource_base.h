// opsrun/resource_base.h: ResourceBase, what shared objects derive from, and pointers that count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace core {

// Begins with one reference; deletes itself with the last.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void Ref() const { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
  // True if that was the last.
  bool Unref() const {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) != 0) return false;
    delete this;
    return true;
  }
  bool RefCountIsOne() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE) == 1; }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable int64_t references_ = 1;
};

struct RefCountDeleter {
  void operator()(const RefCounted* object) const { object->Unref(); }
};
template <typename T>
using RefCountPtr = std::unique_ptr<T, RefCountDeleter>;

// Gives a reference back at the end of the block.
class ScopedUnref {
 public:
  explicit ScopedUnref(const RefCounted* object) : object_(object) {}
  ScopedUnref(const ScopedUnref&) = delete;
  ~ScopedUnref() {
    if (object_ != nullptr) object_->Unref();
  }

 private:
  const RefCounted* object_;
};

}  // namespace core

class ResourceBase : public core::RefCounted {
 public:
  virtual std::string DebugString() const { return "a resource"; }
  virtual int64 MemoryUsed() const { return 0; }
};

}  // namespace OPSRUN_HIDDEN
