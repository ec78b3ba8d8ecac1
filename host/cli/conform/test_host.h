// host/cli/conform/test_host.h: a host that calls one kernel, and sees everything that the kernel does.
//
// The engine makes the kernel object; the memory, the threads and the table of functions of a call are this host's. So
// a check decides where tensors are, what is in fresh memory, which inputs are forwarded and how loops are cut.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/plugin_code.h"
#include "host/engine/op_cache.h"
#include "host/tensor/tensor.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

enum class Fit {
  kRoomy,    // aligned to 64 bytes; pages on both sides may be accessed, and have a pattern
  kAligned,  // to 64 bytes; ends less than 64 bytes in front of a page that cannot be accessed
  kExact,    // aligned for its elements only; ends directly in front of such a page
  kAtStart,  // aligned to 64 bytes; begins directly behind such a page
};

// Pages with a pattern, between two that cannot be accessed. Any number of threads may use it.
class GuardedPages {
 public:
  GuardedPages() = default;
  GuardedPages(const GuardedPages&) = delete;
  ~GuardedPages();

  static size_t Size();
  // The first of the pages that may be accessed. Throws std::bad_alloc. Requires: room is a multiple of Size().
  unsigned char* Make(size_t room);
  void Free(unsigned char* pages, size_t room);
  // Keeps them for the next Make of this room. Requires: they have the pattern again.
  void Keep(unsigned char* pages, size_t room);

 private:
  std::mutex mutex_;  // guards kept_
  std::map<size_t, std::vector<unsigned char*>> kept_;
};

// Memory between two pages that cannot be accessed. What is left of its own pages has a pattern.
class GuardedBlock {
 public:
  // Filled with `fill`. Throws std::bad_alloc if memory runs out. Requires: alignment is a power of two up to 64;
  // `pages` outlives it.
  GuardedBlock(GuardedPages& pages, size_t bytes, size_t alignment, Fit fit, uint8_t fill);
  GuardedBlock(const GuardedBlock&) = delete;
  ~GuardedBlock();

  void* data() const { return data_; }
  // "past the end", "before the start", if somebody wrote there; else empty.
  std::string Damage() const;
  // From now on, writing to it is a crash. Whole pages, so also to the pattern.
  void Protect();

 private:
  GuardedPages& pages_;
  const size_t bytes_;
  size_t room_;
  unsigned char* first_;
  unsigned char* data_;
  bool is_kept_;                   // its pages, if they are clean
  mutable bool is_clean_ = false;  // the pattern was intact when it was looked at
};

// How the host arranges a call.
struct Arrangement {
  enum class Loops {
    kWhole,    // parallel_for calls its function once
    kCut,      // in uneven parts of 1 to 3 indices, the last part first
    kThreads,  // in four parts, on four threads
  };
  Fit fit = Fit::kRoomy;
  uint8_t fill = 0xA5;           // what is in fresh memory
  bool planned = true;           // outputs of known shape, and the workspace, are there when the kernel is called
  bool read_only = false;        // inputs cannot be written
  bool forwards = false;         // forward_input gives an output the memory of an input
  bool in_place = false;         // outputs are in the memory of an input where the kernel's registration allows it
  int64_t cancelled_after = -1;  // `cancelled` answers yes from this question on, counted from 0; -1: never
  Loops loops = Loops::kWhole;
};

// What the call did.
struct Outcome {
  int32_t code = OPSRUN_OK;
  std::string text, subject;    // the reason of a failure
  std::vector<Tensor> outputs;  // of a success
  std::string mistake;          // against the contract, or empty
  std::string damage;           // "output 'z': memory past the end was overwritten"; empty: none
  std::string changed_input;    // "x"; empty: none
  std::string changed_state;    // of the thread: "the floating-point mode (rounding)"; empty: none
  bool placed = false;          // an output was in the memory of an input
  bool asked = false;           // the kernel asked whether it is cancelled

  bool ok() const { return code == OPSRUN_OK; }
};

class HandleMaker;

// A call that is about to be made.
struct CallInputs {
  const KernelObject* kernel = nullptr;
  const TypedOp* op = nullptr;
  std::vector<Tensor> inputs;  // lists flattened
  // Of inputs that get handles of new objects in each call.
  std::vector<std::pair<size_t, std::shared_ptr<const HandleMaker>>> makers;
  std::vector<std::optional<Shape>> shapes;  // of outputs, as the shape function says; -1: unknown size
};

class TestHost {
 public:
  // The engine must outlive it.
  explicit TestHost(Engine& engine);
  TestHost(const TestHost&) = delete;

  // Any number of threads may call it.
  Outcome Call(const CallInputs& inputs, const Arrangement& arrangement);

  // How many tensors kernels hold now: temporaries and retained ones.
  int64_t held() const { return held_.load(); }

  // For the slots of the table.
  void Hold(int64_t tensors) { held_ += tensors; }
  void NoteDamage(const std::string& where);
  std::string TakeDamage();
  Engine& engine() const { return engine_; }
  GuardedPages& pages() { return pages_; }
  const opsrun_host* table() const { return table_->get(); }

 private:
  Engine& engine_;
  GuardedPages pages_;
  std::atomic<int64_t> held_{0};
  std::mutex mutex_;    // guards damage_
  std::string damage_;  // of temporaries that were released
  std::unique_ptr<const GuardedTable> table_;
};

// The names of tensors as messages have them: "x", "values.1".
std::vector<std::string> TensorNames(const std::vector<spec::ArgRange>& args);

}  // namespace opsrun::host
