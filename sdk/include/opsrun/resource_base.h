// opsrun/resource_base.h: ResourceBase, the base class of shared objects, and reference counting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace core {

// Starts with one reference and deletes itself when the last one is released. Thread-safe.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void Ref() const { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
  // Releases a reference. True if it was the last one.
  bool Unref() const {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) != 0) return false;
    delete this;
    return true;
  }
  bool RefCountIsOne() const { return RefCount() == 1; }
  // May be outdated when it returns.
  int64_t RefCount() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE); }

 protected:
  // Adds a reference unless the last one was already released and the object is being deleted.
  bool TryRef() const {
    int64_t references = RefCount();
    while (references != 0) {
      if (__atomic_compare_exchange_n(&references_, &references, references + 1, true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE)) {
        return true;
      }
    }
    return false;
  }
  virtual ~RefCounted() = default;

 private:
  mutable int64_t references_ = 1;
};

struct RefCountDeleter {
  void operator()(const RefCounted* object) const { object->Unref(); }
};
template <typename T>
using RefCountPtr = std::unique_ptr<T, RefCountDeleter>;

// Adds a reference to the object, which may be NULL.
template <typename T>
RefCountPtr<T> GetNewRef(T* object) {
  if (object != nullptr) object->Ref();
  return RefCountPtr<T>(object);
}

// Releases a reference at the end of the scope.
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

// Two overloads: until TensorFlow 1.13 DebugString was not const. A class overrides one of them.
#ifdef __CUDACC__
#pragma nv_diag_suppress 611  // overridden partially
#endif
class ResourceBase : public core::RefCounted {
 public:
  virtual std::string DebugString() const { return "a resource"; }
  virtual std::string DebugString() { return static_cast<const ResourceBase*>(this)->DebugString(); }
  virtual int64 MemoryUsed() const { return 0; }
};

}  // namespace OPSRUN_HIDDEN
