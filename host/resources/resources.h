// host/resources/resources.h: named objects that kernels share, between nodes and between runs.
//
// Made by the program before its plans and emptied after them, before plugins shut down. An object belongs to the
// plugin that made it: another one cannot find it, whatever name it asks for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "host/base/dtype.h"

namespace opsrun::host {

// What a shared object is found by. `plugin` is an address that only tells plugins apart.
struct ResourceKey {
  const void* plugin = nullptr;
  std::string container, name, type;

  auto operator<=>(const ResourceKey&) const = default;
};

// How an object comes and goes; make throws nothing.
struct ResourceMaker {
  int32_t (*make)(void* ctx, void** obj) = nullptr;  // null: only look
  void* ctx = nullptr;
  void (*destroy)(void* obj) = nullptr;
};

// Every method may be called from any thread. The codes are the contract's.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  ~Resources() { Clear(); }

  // *r gets one reference for the caller. NOT_FOUND if there is no such object and nobody to make it; what make says if
  // it fails; FAILED_PRECONDITION if a make asks for resources itself. `host` is the table that the handle names; it
  // lives as long as the object does.
  int32_t FindOrMake(const ResourceKey& key, const ResourceMaker& maker, std::shared_ptr<const opsrun_host> host,
                     const opsrun_resource** r);
  // Forgets the object, NOT_FOUND if there is none. It lives on until its last reference goes.
  int32_t Delete(const ResourceKey& key);
  // Forgets all.
  void Clear();
  size_t size() const;

  static int32_t Retain(const opsrun_resource* r);
  // Destroys the object with the last reference.
  static int32_t Release(const opsrun_resource* r);

 private:
  struct Counted;

  mutable std::mutex mutex_;  // guards what follows; held while an object is made
  std::map<ResourceKey, Counted*> all_;
  std::atomic<std::thread::id> maker_{};  // the thread that makes one
};

}  // namespace opsrun::host
