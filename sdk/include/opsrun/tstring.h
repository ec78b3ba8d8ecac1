// opsrun/tstring.h: tstring, an element of a string tensor.
//
// It has the layout of a string slot in c_api.h: a pointer and a length. The highest bit of the length is set if the
// plugin owns the bytes. Otherwise a host owns them and they are read-only, so the elements of an input are read in
// place. A copy always owns its bytes, and a NUL follows them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <iosfwd>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "opsrun/internal/str_cat.h"
#include "opsrun/internal/string_memory.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

namespace internal {

[[noreturn]] inline void ThrowBadAlloc() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  abort();
#endif
}

// NUL-terminated copies of borrowed texts, for tstring::c_str(): a host's string element may be part of a larger text.
// A copy belongs to the thread that requested it, and lives until the innermost scope that was open then on this thread
// ends: a call of Compute, of a constructor or of a shape function, or a block of a parallel loop. Plugins that never
// request one pay for two reads of one variable per call.

// True once any thread of this plugin has made a copy.
inline std::atomic<bool> any_c_copies{false};

OPSRUN_COLD inline std::vector<std::unique_ptr<char[]>>& CCopies() {
  thread_local std::vector<std::unique_ptr<char[]>> copies;
  return copies;
}

// A NUL-terminated copy of the n bytes at `bytes`.
inline const char* CopyWithNul(const char* bytes, size_t n) {
  std::unique_ptr<char[]> copy(new char[n + 1]);
  memcpy(copy.get(), bytes, n);
  copy[n] = '\0';
  any_c_copies.store(true, std::memory_order_relaxed);
  CCopies().push_back(std::move(copy));
  return CCopies().back().get();
}

// Deletes the copies that this thread made since the scope began.
class CCopiesScope {
 public:
  CCopiesScope() : first_(IsNeeded() ? Count() : 0) {}
  CCopiesScope(const CCopiesScope&) = delete;
  ~CCopiesScope() {
    if (IsNeeded()) DeleteFrom(first_);
  }

  // What the scope does, for OpKernelContext. Once it is needed, it is until the process ends.
  __attribute__((always_inline)) static bool IsNeeded() { return any_c_copies.load(std::memory_order_relaxed); }
  OPSRUN_COLD static size_t Count() { return CCopies().size(); }
  OPSRUN_COLD static void DeleteFrom(size_t first) {
    while (CCopies().size() > first) CCopies().pop_back();
  }

 private:
  const size_t first_;
};

// Another library's string view, such as abseil's. A specialization defines Foreign; tstring then converts from it and
// to it.
template <typename View>
struct ForeignText {};
}  // namespace internal

class tstring {
 public:
  typedef char value_type;
  typedef const char* const_iterator;
  typedef char* iterator;
  static constexpr size_t npos = static_cast<size_t>(-1);

  tstring() = default;
  tstring(const char* text) : tstring(std::string_view(text)) {}
  tstring(const char* bytes, size_t size) : tstring(std::string_view(bytes, size)) {}
  tstring(const std::string& text) : tstring(std::string_view(text)) {}
  tstring(std::string_view text) { Assign(text); }
  tstring(size_t count, char c) { resize(count, c); }
  template <typename View, typename = typename internal::ForeignText<View>::Foreign>
  tstring(const View& text) : tstring(text.data(), text.size()) {}
  tstring(const tstring& other) : tstring(std::string_view(other)) {}
  tstring(tstring&& other) noexcept { swap(other); }
  ~tstring() { Drop(); }

  tstring& operator=(const tstring& other) { return operator=(std::string_view(other)); }
  tstring& operator=(tstring&& other) noexcept {
    swap(other);
    return *this;
  }
  tstring& operator=(const std::string& text) { return operator=(std::string_view(text)); }
  tstring& operator=(const char* text) { return operator=(std::string_view(text)); }
  tstring& operator=(std::string_view text) {
    tstring fresh(text);
    swap(fresh);
    return *this;
  }
  tstring& operator=(char c) { return operator=(std::string_view(&c, 1)); }
  tstring& assign(const char* bytes, size_t size) { return operator=(std::string_view(bytes, size)); }
  tstring& assign(std::string_view text) { return operator=(text); }

  size_t size() const { return static_cast<size_t>(size_ & ~kOwned); }
  size_t length() const { return size(); }
  bool empty() const { return size() == 0; }
  size_t capacity() const { return IsOwned() ? *Capacity() : size(); }
  const char* data() const { return data_ == nullptr ? "" : data_; }
  // The bytes with a NUL after them. For bytes that a host owns, it is a copy, which is valid until Compute, or the
  // block of a parallel loop, ends.
  const char* c_str() const { return IsOwned() || empty() ? data() : internal::CopyWithNul(data_, size()); }
  const char& operator[](size_t i) const { return data()[i]; }
  const char* begin() const { return data(); }
  const char* end() const { return data() + size(); }
  char front() const { return data()[0]; }
  char back() const { return data()[size() - 1]; }
  operator std::string() const { return {data(), size()}; }
  operator std::string_view() const { return {data(), size()}; }
  template <typename View, typename = typename internal::ForeignText<View>::Foreign>
  operator View() const {
    return View(data(), size());
  }
  std::string_view substr(size_t from, size_t count = npos) const {
    return std::string_view(*this).substr(from, count);
  }
  size_t find(std::string_view text, size_t from = 0) const { return std::string_view(*this).find(text, from); }
  int compare(std::string_view text) const { return std::string_view(*this).compare(text); }

  // The bytes, for writing.
  char* mdata() {
    Own(size());
    return const_cast<char*>(data_);
  }
  char* data() { return mdata(); }
  char& operator[](size_t i) { return mdata()[i]; }
  char* begin() { return mdata(); }
  char* end() { return mdata() + size(); }

  void reserve(size_t capacity) { Own(capacity > size() ? capacity : size()); }
  void resize(size_t count, char c = '\0') {
    const size_t before = size();
    resize_uninitialized(count);
    if (count > before) memset(const_cast<char*>(data_) + before, c, count - before);
  }
  void resize_uninitialized(size_t count) {
    Own(count);
    SetSize(count);
  }
  void clear() { resize_uninitialized(0); }
  void push_back(char c) { append(&c, 1); }
  tstring& append(std::string_view text) { return append(text.data(), text.size()); }
  tstring& append(const char* bytes, size_t count) {
    const size_t before = size(), after = before + count;
    if (count == 0) return *this;
    if (after > capacity() || !IsOwned()) {
      const tstring kept = static_cast<tstring&&>(*this);  // `bytes` may point into this string
      Own(after > 2 * before ? after : 2 * before);
      memcpy(const_cast<char*>(data_), kept.data(), before);
      memcpy(const_cast<char*>(data_) + before, bytes, count);
    } else {
      memmove(const_cast<char*>(data_) + before, bytes, count);
    }
    SetSize(after);
    return *this;
  }
  tstring& operator+=(std::string_view text) { return append(text); }
  tstring& operator+=(char c) { return append(&c, 1); }
  void swap(tstring& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  friend bool operator==(const tstring& a, const tstring& b) { return a.compare(b) == 0; }
  friend bool operator!=(const tstring& a, const tstring& b) { return a.compare(b) != 0; }
  friend bool operator<(const tstring& a, const tstring& b) { return a.compare(b) < 0; }
  friend bool operator>(const tstring& a, const tstring& b) { return a.compare(b) > 0; }
  friend bool operator<=(const tstring& a, const tstring& b) { return a.compare(b) <= 0; }
  friend bool operator>=(const tstring& a, const tstring& b) { return a.compare(b) >= 0; }
  friend tstring operator+(const tstring& a, const tstring& b) {
    tstring sum;
    sum.reserve(a.size() + b.size());
    return sum.append(a).append(b);
  }
  friend void swap(tstring& a, tstring& b) noexcept { a.swap(b); }
  template <typename Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const tstring& text) {
    return out << std::string_view(text);
  }

 private:
  static constexpr uint64_t kOwned = uint64_t{1} << 63;

  bool IsOwned() const { return (size_ & kOwned) != 0; }
  static int64_t BlockBytes(size_t capacity) { return static_cast<int64_t>(sizeof(size_t) + capacity + 1); }
  // Stored in front of the bytes that the string owns.
  size_t* Capacity() const { return reinterpret_cast<size_t*>(const_cast<char*>(data_)) - 1; }
  void Drop() {
    if (!IsOwned()) return;
    internal::CountString(-BlockBytes(*Capacity()));
    free(Capacity());
  }
  void SetSize(size_t size) {
    const_cast<char*>(data_)[size] = '\0';
    size_ = size | kOwned;
  }
  void Assign(std::string_view text) {
    if (text.empty()) return;
    Own(text.size());
    memcpy(const_cast<char*>(data_), text.data(), text.size());
    SetSize(text.size());
  }
  // Makes the string own its bytes, with capacity for `capacity` of them, and keeps as many of the old bytes as fit.
  // The size is unchanged if all of them fit.
  void Own(size_t capacity) {
    if (IsOwned() && *Capacity() >= capacity) return;
    if (!internal::CountString(BlockBytes(capacity))) internal::ThrowBadAlloc();
    auto* block = static_cast<size_t*>(malloc(static_cast<size_t>(BlockBytes(capacity))));
    if (block == nullptr) {
      internal::CountString(-BlockBytes(capacity));
      internal::ThrowBadAlloc();
    }
    *block = capacity;
    char* bytes = reinterpret_cast<char*>(block + 1);
    const size_t kept = size() < capacity ? size() : capacity;
    memcpy(bytes, data_ == nullptr ? "" : data_, kept);
    bytes[kept] = '\0';
    Drop();
    data_ = bytes;
    size_ = kept | kOwned;
  }
  const char* data_ = nullptr;
  uint64_t size_ = 0;
};
static_assert(sizeof(tstring) == 16, "a tstring is a slot of the contract");

}  // namespace OPSRUN_HIDDEN

template <>
struct std::hash<::OPSRUN_NAMESPACE::tstring> {
  size_t operator()(const ::OPSRUN_NAMESPACE::tstring& text) const { return hash<string_view>()(text); }
};
