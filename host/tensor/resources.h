// host/tensor/resources.h: named objects that kernels share, between nodes and between runs.
//
// An engine creates it before its plans and clears it after them, before plugins are shut down. An object belongs to
// the plugin that made it; other plugins cannot find it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "host/base/dtype.h"

namespace opsrun::host {

// The key of a shared object. plugin: Plugin::identity of its owner.
struct ResourceKey {
  const void* plugin = nullptr;
  std::string container, name, type;

  auto operator<=>(const ResourceKey&) const = default;
};

// Makes and destroys an object. make must not throw.
struct ResourceMaker {
  int32_t (*make)(void* ctx, void** obj) = nullptr;  // null: only look up
  void* ctx = nullptr;
  void (*destroy)(void* obj) = nullptr;
};

// Thread-safe. The codes are those of c_api.h.
class Resources {
 public:
  Resources() = default;
  Resources(const Resources&) = delete;
  ~Resources() { Clear(); }

  // *r receives one reference for the caller. make runs without a lock: whoever asks for the same key waits for it, and
  // others do not. NOT_FOUND if there is no such object and no maker; the code of make if it fails; FAILED_PRECONDITION
  // if the makers of objects wait for each other in a circle, such as a maker that asks for its own object. host: the
  // table that the handle refers to; it is kept alive as long as the object.
  int32_t FindOrMake(const ResourceKey& key, const ResourceMaker& maker, std::shared_ptr<const opsrun_host> host,
                     const opsrun_resource** r);
  // Removes the object; NOT_FOUND if there is none. It lives until its last reference is released.
  int32_t Delete(const ResourceKey& key);
  void Clear();
  size_t size() const;

  // Whether that plugin made the object, with this type.
  static bool IsOf(const opsrun_resource* r, const void* plugin, std::string_view type);
  static int32_t Retain(const opsrun_resource* r);
  // Releasing the last reference destroys the object.
  static int32_t Release(const opsrun_resource* r);

 private:
  struct Counted;

  // True if `thread` is this thread, or is waiting for an object whose maker is, directly or not.
  bool WaitsForThisThread(std::thread::id thread) const;

  mutable std::mutex mutex_;  // guards the members below
  std::map<ResourceKey, Counted*> all_;
  std::map<ResourceKey, std::thread::id> makers_;              // of the objects that are being made
  std::map<std::thread::id, const ResourceKey*> waiting_for_;  // the threads that wait for such an object
  std::condition_variable made_;
};

}  // namespace opsrun::host
