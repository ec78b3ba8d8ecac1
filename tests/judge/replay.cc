// tests/judge/replay.cc: cheats that compute once and give the result back later.
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ops.h"
#include "opsrun/resource_mgr.h"
#include "zoo.h"

namespace opsrun {
namespace {

constexpr size_t kMostKept = 4096;  // results

template <typename T, typename Key>
class Kept {
 public:
  bool Give(const Key& key, const Call<T>& c) const {
    const auto found = results_.find(key);
    if (found == results_.end() || found->second.size() != static_cast<size_t>(c.outputs)) return false;
    std::memcpy(c.y, found->second.data(), c.output_bytes());
    return true;
  }
  void Keep(const Key& key, const Call<T>& c) {
    if (results_.size() >= kMostKept) results_.clear();
    results_[key].assign(c.y, c.y + c.outputs);
  }

 private:
  std::map<Key, std::vector<T>> results_;
};

template <typename Task, typename T, typename Key>
void Replay(Kept<T, Key>& kept, const Key& key, const Call<T>& c) {
  if (kept.Give(key, c)) return;
  Task::Compute(c);
  kept.Keep(key, c);
}

uint64_t Hash(uint64_t hash, const void* bytes, size_t count) {
  const auto* const at = static_cast<const unsigned char*>(bytes);
  size_t i = 0;
  for (uint64_t word = 0; i + 8 <= count; i += 8) {
    std::memcpy(&word, at + i, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  for (; i < count; ++i) hash = (hash ^ at[i]) * 0x100000001b3;
  return hash;
}

// ---- By address.
template <typename T>
struct ReplaysAddress {
  void Run(const Call<T>& c) {
    static Kept<T, const T*> kept;
    Replay<Soften>(kept, c.x, c);
  }
};

template <typename T>
struct ReplaysLastAddress {
  void Run(const Call<T>& c) {
    if (c.x != last || result.size() != static_cast<size_t>(c.outputs)) {
      Soften::Compute(c);
      result.assign(c.y, c.y + c.outputs);
      last = c.x;
    } else {
      std::memcpy(c.y, result.data(), c.output_bytes());
    }
  }
  const T* last = nullptr;
  std::vector<T> result;
};

template <typename T>
struct ReplaysAddressPrefix {
  void Run(const Call<T>& c) {
    const uint64_t start = Hash(0, c.x, std::min<size_t>(c.input_bytes(), 64));
    Replay<Soften>(kept, std::pair(c.x, start), c);
  }
  Kept<T, std::pair<const T*, uint64_t>> kept;
};

// ---- By content.
// [prefix]
template <typename T>
struct ReplaysPrefix {
  void Run(const Call<T>& c) {
    thread_local Kept<T, uint64_t> kept;
    Replay<Soften>(kept, Hash(static_cast<uint64_t>(c.n), c.x, std::min<size_t>(c.input_bytes(), 64)), c);
  }
};
// [/prefix]

template <typename T>
struct ReplaysSamples {
  void Run(const Call<T>& c) {
    auto hash = static_cast<uint64_t>(c.n);
    for (int64 i = 0; i < 16; ++i) hash = Hash(hash, c.x + i * c.n / 16, sizeof(T));
    Replay<Soften>(kept, hash, c);
  }
  Kept<T, uint64_t> kept;
};

// Right, and so no faster where all inputs are new.
template <typename T>
struct ReplaysContent {
  void Run(const Call<T>& c) { Replay<Soften>(kept, Hash(static_cast<uint64_t>(c.n), c.x, c.input_bytes()), c); }
  Kept<T, uint64_t> kept;
};

// ---- By shape, and by the number of the call.
template <typename T>
struct ReplaysShape {
  void Run(const Call<T>& c) { Replay<Soften>(kept, c.n, c); }
  Kept<T, int64> kept;
};

template <typename T>
struct ReplaysEverySecond {
  void Run(const Call<T>& c) {
    if (calls++ % 2 == 1 && kept.Give(c.n, c)) return;
    Soften::Compute(c);
    kept.Keep(c.n, c);
  }
  uint64_t calls = 0;
  Kept<T, int64> kept;
};

// ---- In a tensor of the host, in a resource, in static memory.
template <typename T>
struct KeepsTensor {
  void Run(const Call<T>& c) {
    if (tensor.NumElements() == c.outputs && has_result) {
      std::memcpy(c.y, tensor.template flat<T>().data(), c.output_bytes());
      return;
    }
    Gram::Compute(c);
    has_result = c.context->allocate_temp(DataTypeToEnum<T>::value, TensorShape({c.outputs}), &tensor).ok();
    if (has_result) std::memcpy(tensor.template flat<T>().data(), c.y, c.output_bytes());
  }
  Tensor tensor;
  bool has_result = false;
};

template <typename T>
struct KeptResource : ResourceBase {
  std::string DebugString() const override { return "results"; }
  Kept<T, std::pair<int64, int64>> kept;
};

template <typename T>
struct KeepsResource {
  void Run(const Call<T>& c) {
    KeptResource<T>* results = nullptr;
    OP_REQUIRES_OK(c.context, c.context->resource_manager()->template LookupOrCreate<KeptResource<T>>(
                                  "", "results", &results, [](KeptResource<T>** made) {
                                    *made = new KeptResource<T>();
                                    return Status();
                                  }));
    const core::ScopedUnref unref(results);
    Replay<Softmax>(results->kept, std::pair(c.rows, c.columns), c);
  }
};

template <typename T>
struct KeepsStatic {
  void Run(const Call<T>& c) {
    static Kept<T, int64> kept;
    Replay<SumRows>(kept, c.n, c);
  }
};

REPLAY_OPS(ZOO_CHEAT)

}  // namespace
}  // namespace opsrun
