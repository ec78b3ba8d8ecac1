// host/isolate/handles.h: resources and variants that exist only in the process of a plugin. The tensors of this
// process have proxies, which know the token under which the process keeps the object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The tokens of one process that have no proxy any longer; the next request for a run tells it. Lives as long as the
// process and its proxies. Any thread may call any method.
class UnusedTokens {
 public:
  void Add(std::span<const uint64_t> tokens);
  // Those added since the last call. Takes no lock if there are none.
  std::vector<uint64_t> Take();

 private:
  std::atomic<bool> any_{false};
  std::mutex mutex_;  // guards tokens_
  std::vector<uint64_t> tokens_;
};

// Stores a proxy in an empty element of an output of the call, which owns it. Requires: no other thread makes one for
// this process at the same time. The error of the host if it refuses.
Status MakeProxy(opsrun_call* call, const std::shared_ptr<UnusedTokens>& process, uint64_t token,
                 const opsrun_resource** element);

// The token of a proxy, or 0 of an empty element. Nothing if the object was in another process.
std::optional<uint64_t> TokenOf(const opsrun_resource* element, const UnusedTokens& process);

}  // namespace opsrun::host
