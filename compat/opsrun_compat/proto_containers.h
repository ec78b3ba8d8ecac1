// opsrun_compat/proto_containers.h: RepeatedField, RepeatedPtrField and Map: lists and maps in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/basics.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The methods of both kinds of lists in addition to the names of the standard library.
template <typename T, typename List>
class RepeatedBase : public List {
 public:
  using List::List;

  int size() const { return static_cast<int>(List::size()); }
  decltype(auto) Get(int i) const { return (*this)[static_cast<size_t>(i)]; }
  void RemoveLast() { this->pop_back(); }
  void Clear() { this->clear(); }
  void CopyFrom(const RepeatedBase& other) { *this = other; }
  void MergeFrom(const RepeatedBase& other) { this->insert(this->end(), other.begin(), other.end()); }
  void Swap(RepeatedBase* other) { this->swap(*other); }
};

}  // namespace internal

namespace protobuf {

// A list of numbers.
template <typename T>
class RepeatedField : public internal::RepeatedBase<T, std::vector<T>> {
 public:
  using internal::RepeatedBase<T, std::vector<T>>::RepeatedBase;

  void Add(T value) { this->push_back(value); }
  void Set(int i, T value) { (*this)[static_cast<size_t>(i)] = value; }
  T* Mutable(int i) { return &(*this)[static_cast<size_t>(i)]; }
  T* mutable_data() { return this->data(); }
  void Reserve(int n) { this->reserve(static_cast<size_t>(n)); }
  void Resize(int n, T value) { this->resize(static_cast<size_t>(n), value); }
  void Truncate(int n) { this->resize(static_cast<size_t>(n)); }
};

// A list of texts or messages. Elements are not moved when more are added.
template <typename T>
class RepeatedPtrField : public internal::RepeatedBase<T, std::deque<T>> {
 public:
  using internal::RepeatedBase<T, std::deque<T>>::RepeatedBase;

  T* Add() { return &this->emplace_back(); }
  void Add(T value) { this->push_back(std::move(value)); }
  T* Mutable(int i) { return &(*this)[static_cast<size_t>(i)]; }
  void Reserve(int) {}
};

template <typename Key, typename T>
class Map : public std::map<Key, T> {
 public:
  using std::map<Key, T>::map;

  bool contains(const Key& key) const { return this->count(key) > 0; }
};

}  // namespace protobuf

namespace internal {

using protobuf::Map;
using protobuf::RepeatedField;
using protobuf::RepeatedPtrField;

// A message field, which may be absent. T may be incomplete where it is declared.
template <typename T>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned& other) : value_(other.value_ == nullptr ? nullptr : new T(*other.value_)) {}
  Owned(Owned&&) noexcept = default;
  Owned& operator=(Owned other) noexcept {
    value_.swap(other.value_);
    return *this;
  }

  bool empty() const { return value_ == nullptr; }
  // Returns an empty message if it is absent.
  const T& get() const {
    static const T* empty = new T;
    return value_ == nullptr ? *empty : *value_;
  }
  T* mutable_get() {
    if (value_ == nullptr) value_.reset(new T);
    return value_.get();
  }

 private:
  std::unique_ptr<T> value_;
};
template <typename T>
using OwnedMap = Owned<Map<std::string, T>>;

template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T>;

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
