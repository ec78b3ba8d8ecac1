// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/resources.h"

#include <memory>
#include <utility>

#include "host/base/plugin_code.h"

namespace opsrun::host {
namespace {

opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// Objects are made while a kernel is created or runs; its plugin is the owner.
PluginCodeFacts MakerFacts() {
  return RunningCode() == nullptr ? PluginCodeFacts{} : RunningCode()->Facts();
}

}  // namespace

// The table holds one reference to each object in it.
struct Resources::Counted : opsrun_resource {
  Counted(const ResourceKey& the_key, void* object, void (*the_destroy)(void*),
          std::shared_ptr<const opsrun_host> the_table)
      : opsrun_resource{},
        key(the_key),
        table(std::move(the_table)),
        path(MakerFacts().path),
        plugin_name(MakerFacts().name),
        plugin_version(MakerFacts().version),
        maker_code({.phase = PluginPhase::kResource, .path = path, .name = plugin_name, .version = plugin_version}) {
    host = table.get();
    size = SizeAt<opsrun_resource>(host->level);
    obj = object;
    destroy = the_destroy;
    container = Str(key.container);
    name = Str(key.name);
    type = Str(key.type);
    plugin = Str(plugin_name);
  }

  const ResourceKey key;
  const std::shared_ptr<const opsrun_host> table;
  // Copied for reports about its destruction, because the plugin may be gone by then.
  const std::string path, plugin_name, plugin_version;
  const SingleCall maker_code;
  std::atomic<int64_t> references{1};
};

int32_t Resources::FindOrMake(const ResourceKey& key, const ResourceMaker& maker,
                              std::shared_ptr<const opsrun_host> host, const opsrun_resource** r) {
  const std::thread::id self = std::this_thread::get_id();
  std::unique_lock<std::mutex> lock(mutex_);
  auto found = all_.find(key);
  for (; found == all_.end(); found = all_.find(key)) {
    const auto making = makers_.find(key);
    if (making == makers_.end()) break;
    if (WaitsForThisThread(making->second)) return OPSRUN_FAILED_PRECONDITION;
    waiting_for_[self] = &key;
    made_.wait(lock);
    waiting_for_.erase(self);
  }
  if (found == all_.end()) {
    if (maker.make == nullptr) return OPSRUN_NOT_FOUND;
    makers_[key] = self;
    // Also if an exception leaves this function: others may be waiting.
    const auto stop_making = [&](void*) {
      if (!lock.owns_lock()) lock.lock();
      makers_.erase(key);
      made_.notify_all();
    };
    const std::unique_ptr<void, decltype(stop_making)> making(this, stop_making);
    lock.unlock();
    void* object = nullptr;
    if (const int32_t code = maker.make(maker.ctx, &object); code != OPSRUN_OK) return code;
    auto made = std::make_unique<Counted>(key, object, maker.destroy, std::move(host));
    lock.lock();
    found = all_.emplace(key, nullptr).first;
    found->second = made.release();
  }
  *r = found->second;
  return Retain(*r);
}

bool Resources::WaitsForThisThread(std::thread::id thread) const {
  while (thread != std::this_thread::get_id()) {
    const auto waiting = waiting_for_.find(thread);
    if (waiting == waiting_for_.end()) return false;
    const auto maker = makers_.find(*waiting->second);
    if (maker == makers_.end()) return false;
    thread = maker->second;
  }
  return true;
}

int32_t Resources::Delete(const ResourceKey& key) {
  Counted* deleted = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = all_.find(key);
    if (found == all_.end()) return OPSRUN_NOT_FOUND;
    deleted = found->second;
    all_.erase(found);
  }
  return Release(deleted);
}

void Resources::Clear() {
  std::map<ResourceKey, Counted*> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    all.swap(all_);
  }
  for (const auto& [key, resource] : all) Release(resource);
}

size_t Resources::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return all_.size();
}

bool Resources::IsOf(const opsrun_resource* r, const void* plugin, std::string_view type) {
  const ResourceKey& key = static_cast<const Counted*>(r)->key;
  return key.plugin == plugin && key.type == type;
}

int32_t Resources::Retain(const opsrun_resource* r) {
  static_cast<Counted*>(const_cast<opsrun_resource*>(r))->references.fetch_add(1, std::memory_order_relaxed);
  return OPSRUN_OK;
}

int32_t Resources::Release(const opsrun_resource* r) {
  auto* counted = static_cast<Counted*>(const_cast<opsrun_resource*>(r));
  if (counted->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return OPSRUN_OK;
  if (counted->destroy != nullptr) {
    CallAtEnd(counted->maker_code, counted->host, [counted] { counted->destroy(counted->obj); });
  }
  delete counted;
  return OPSRUN_OK;
}

}  // namespace opsrun::host
