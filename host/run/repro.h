// host/run/repro.h: what is needed to run a node alone, kept while its kernel runs, and the folder that it is written
// to if the node fails.
//
// The folder has graph.yaml, a graph of this node; an .npy file for each input, as it was before the kernel ran;
// plugin.yaml, which plugin it was; and error.txt.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/file.h"
#include "host/base/plugin_code.h"
#include "host/base/status.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

class CallSlots;

// A node as a graph of its own, or isolated nodes that run together.
struct ReproNode {
  std::string graph;                          // the text of graph.yaml; empty: it is not stored
  std::shared_ptr<const std::string> plugin;  // the text of plugin.yaml
  std::vector<std::string> files;             // of each input, "x.npy"; empty: its elements cannot be stored
  std::string gap;                            // such an input: "input 'x' is a resource"; empty: there is none
  std::string words;                          // of ReproFolder::command() for this node: " --node-timeout 300ms"
};
using ReproNodes = std::vector<ReproNode>;  // by step of a plan; empty nodes are not stored

// The inputs of the step that a thread runs. Only that thread calls its methods, but for IsRunning.
class ReproRecord {
 public:
  ReproRecord() = default;
  ReproRecord(const ReproRecord&) = delete;

  // Before and after a kernel. Begin copies its inputs; an error is that of their device.
  Status Begin(uint32_t step, const ReproNode& node, CallSlots& slots, const opsrun_call* call);
  void End();
  // After End: the step has failed nevertheless.
  void Reopen();
  // Of the last Begin: why the node cannot be replayed from what is written; empty: it can.
  const std::string& gap() const { return gap_; }
  // Requires: Begin has returned OK.
  const ReproNode& node() const { return *node_; }
  // Whether the kernel of the step is running. Async-signal-safe, and from any thread.
  bool IsRunning(uint32_t step) const {
    return state_.load(std::memory_order_acquire) == State::kRunning && step_.load(std::memory_order_relaxed) == step;
  }

 private:
  friend class ReproFolder;
  enum class State : uint8_t { kEmpty, kRunning, kDone, kTaken };
  struct Input {
    const std::string* file = nullptr;  // of the node
    size_t begin = 0, end = 0;          // in bytes_
  };

  Status Copy(const opsrun_tensor& in, CallSlots& slots, const opsrun_call* call);
  bool Take();

  std::atomic<State> state_{State::kEmpty};
  std::atomic<uint32_t> step_{0};
  const ReproNode* node_ = nullptr;
  std::string gap_;
  std::vector<Input> inputs_;
  std::string bytes_;  // .npy files, one after the other
};

// The folder of --repro-dir. It is written once, by the first failure, under a temporary name, so that it is complete
// or missing, also if the program is killed meanwhile. From any thread.
class ReproFolder {
 public:
  // INVALID_ARGUMENT, FAILED_PRECONDITION and others, with the reason, if there is something at `path` besides an empty
  // folder, or if no folder can be made there. command: see command(). Leaves nothing behind.
  static Result<std::shared_ptr<ReproFolder>> Create(const std::string& path, std::string command);
  ReproFolder(const ReproFolder&) = delete;

  enum class Outcome {
    kLate,     // another failure was first, or the kernel has returned
    kWritten,  // the folder is complete
    kFailed,   // it could not be written, and does not exist: error() says why
  };
  // Writes the folder. tell(file, what) writes error.txt. Async-signal-safe, if `tell` is. If another thread is writing
  // this record to end the program, it does not return.
  using Tell = void (*)(int file, const void* what);
  Outcome Write(ReproRecord& record, Tell tell, const void* what);

  // The command that replays it: "opsrun run DIR".
  const std::string& command() const { return command_; }
  const std::string& path() const { return path_; }
  bool is_written() const { return written_.load(std::memory_order_relaxed); }
  int error() const { return error_; }  // an errno, after kFailed

 private:
  class Watcher;

  ReproFolder() = default;
  bool WriteFiles(int folder, const ReproRecord& record, Tell tell, const void* what) const;
  void Remove(int folder, const ReproRecord& record) const;

  std::string path_, command_;
  std::string name_, temporary_;  // in parent_
  Descriptor parent_;
  std::atomic<bool> claimed_{false}, written_{false};
  int error_ = 0;
};

// What became of a failure.
struct WrittenRepro {
  bool written = false;
  std::string command;  // that replays it; empty: none does
  std::string problem;  // why none does, if that was wanted
};

// Writes a node with this message. Not for signal handlers.
WrittenRepro WriteRepro(const RunningNode& kept, const Diagnostic& d);
// Adds it to the message.
void Mention(const WrittenRepro& written, Diagnostic& d);

// How to fix an error of ReproFolder::Create.
inline constexpr char kNewFolderHelp[] = "pass a folder that does not exist yet, or an empty one";
// What messages say. The command follows; the path and the reason follow; the same.
inline constexpr std::string_view kReplayHelp = "replay this node alone: ";
inline constexpr std::string_view kNotKept = "the node could not be written to '";
inline constexpr std::string_view kPartlyKept = "the node cannot be replayed from what is in '";

}  // namespace opsrun::host
