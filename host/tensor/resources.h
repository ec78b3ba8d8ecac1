// host/tensor/resources.h: named objects that kernels share, between nodes and between runs.
//
// An engine creates it before its plans and clears it after them, before plugins are shut down. An object belongs to
// the plugin that made it: other plugins cannot find it under any name.
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

// The key of a shared object. `plugin` is an address that only identifies the plugin.
struct ResourceKey {
  const void* plugin = nullptr;
  std::string container, name, type;

  auto operator<=>(const ResourceKey&) const = default;
};

// How an object is made and destroyed; make must not throw.
struct ResourceMaker {
  int32_t (*make)(void* ctx, void** obj) = nullptr;  // null: only look up
  void* ctx = nullptr;
  void (*destroy)(void* obj) = nullptr;
};

// Every method may be called from any thread. The codes are those of c_api.h.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  ~Resources() { Clear(); }

  // *r gets one reference for the caller. NOT_FOUND if there is no such object and no maker; the code that make returns
  // if it fails; FAILED_PRECONDITION if make itself asks for resources. `host` is the table that the handle refers to;
  // it lives as long as the object does.
  int32_t FindOrMake(const ResourceKey& key, const ResourceMaker& maker, std::shared_ptr<const opsrun_host> host,
                     const opsrun_resource** r);
  // Removes the object; NOT_FOUND if there is none. It lives until its last reference is released.
  int32_t Delete(const ResourceKey& key);
  // Removes all objects.
  void Clear();
  size_t size() const;

  static int32_t Retain(const opsrun_resource* r);
  // Destroys the object with the last reference.
  static int32_t Release(const opsrun_resource* r);

 private:
  struct Counted;

  mutable std::mutex mutex_;  // guards the members below; held while an object is made
  std::map<ResourceKey, Counted*> all_;
  std::atomic<std::thread::id> maker_{};  // the thread that is making an object
};

}  // namespace opsrun::host
