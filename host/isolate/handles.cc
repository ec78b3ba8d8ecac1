// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/handles.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace opsrun::host {
namespace {

struct Proxy {
  std::shared_ptr<UnusedTokens> process;
  uint64_t token = 0;
};

int32_t Make(void* proxy, void** object) {
  *object = new Proxy(*static_cast<const Proxy*>(proxy));
  return OPSRUN_OK;
}

// The address of this function also tells proxies from other objects.
void Destroy(void* object) {
  const std::unique_ptr<Proxy> proxy(static_cast<Proxy*>(object));
  proxy->process->Add({&proxy->token, 1});
}

}  // namespace

void UnusedTokens::Add(std::span<const uint64_t> tokens) {
  if (tokens.empty()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  any_.store(true, std::memory_order_relaxed);
}

std::vector<uint64_t> UnusedTokens::Take() {
  if (!any_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard<std::mutex> lock(mutex_);
  any_.store(false, std::memory_order_relaxed);
  return std::exchange(tokens_, {});
}

// An object with a name, which is then taken away: nobody else finds it.
Status MakeProxy(opsrun_call* call, const std::shared_ptr<UnusedTokens>& process, uint64_t token,
                 const opsrun_resource** element) {
  Proxy proxy{process, token};
  const std::string name = fmt::format("{}", token);
  const opsrun_str in = {}, type = {}, called = {name.data(), name.size()};
  const int32_t code = call->host->resource(call, in, called, type, Make, &proxy, Destroy, element);
  if (code != OPSRUN_OK) return {code, "a resource of the isolated process was refused"};
  call->host->resource_delete(call, in, called, type);
  return OkStatus();
}

std::optional<uint64_t> TokenOf(const opsrun_resource* element, const UnusedTokens& process) {
  if (element == nullptr) return 0;
  if (element->destroy != Destroy) return std::nullopt;
  const auto& proxy = *static_cast<const Proxy*>(element->obj);
  return proxy.process.get() == &process ? std::optional(proxy.token) : std::nullopt;
}

}  // namespace opsrun::host
