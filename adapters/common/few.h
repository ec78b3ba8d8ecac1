// adapters/common/few.h: the parts of one call, on the stack as long as they are few.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace opsrun_adapter {

// Objects with stable addresses, constructed one by one: the first few inline, all on the heap if there may be more.
template <typename T, size_t kFew = 4>
class Few {
 public:
  explicit Few(size_t most)
      : all_(most > kFew ? std::allocator<T>().allocate(most) : reinterpret_cast<T*>(few_)), most_(most) {}
  Few(const Few&) = delete;
  ~Few() {
    while (n_ > 0) all_[--n_].~T();
    if (most_ > kFew) std::allocator<T>().deallocate(all_, most_);
  }
  template <typename... Args>
  T& Add(Args&&... args) {
    return *new (&all_[n_++]) T(std::forward<Args>(args)...);
  }
  T& operator[](size_t i) { return all_[i]; }
  T* data() { return all_; }
  size_t size() const { return n_; }

 private:
  alignas(T) unsigned char few_[kFew * sizeof(T)];
  T* const all_;
  const size_t most_;
  size_t n_ = 0;
};

// Memory for plain data, such as the sizes of shapes. Its contents are undefined.
template <typename T, size_t kFew = 32>
class Room {
 public:
  Room() {}  // the memory stays uninitialized
  Room(const Room&) = delete;

  // Lives as long as this object.
  T* Take(size_t n) {
    if (n > kFew - used_) return more_.emplace_back(new T[n]).get();
    used_ += n;
    return few_ + used_ - n;
  }

 private:
  T few_[kFew];
  size_t used_ = 0;
  std::vector<std::unique_ptr<T[]>> more_;
};

}  // namespace opsrun_adapter
