// host/isolate/child.h: the process that runs a plugin's code in place of this one. Read this first.
//
// The program is opsrun-isolated, in libexec. It sees the memory of tensors at the addresses at which this process has
// them, and answers one request at a time (messages.h). If it ends, whatever the reason, the request fails, and the
// next one starts another process. It never outlives this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/isolate/channel.h"
#include "host/isolate/handles.h"
#include "host/isolate/messages.h"

namespace opsrun::host {

struct IsolateOptions {
  std::string program;                        // opsrun-isolated; empty: it is not installed
  std::chrono::milliseconds node_timeout{0};  // for one request; 0: none
  size_t memory = 0;                          // most bytes of private memory; 0: no limit
  bool sandbox = false;                       // no network, no new processes, no files outside of the plugin's folder
  int threads = 1;
  uint32_t level = OPSRUN_LEVEL;
};

// The installed program; empty: there is none.
std::string FindIsolated();

// How a process ended, in the words of a message about it. What is not known is empty.
struct ChildEnd {
  std::string message;
  bool is_clean = false;  // with exit status 0, and without a report
  uint32_t line = 0;      // of the part's text that ran
  std::vector<std::string> help, notes;
  std::vector<StackFrame> backtrace;
};

// A node that its process works on, and its place in the graph of this process.
struct PlacedNode {
  std::string name, graph;  // the graph's path
  Span place;
};

// A line that the plugin logs.
struct ChildLine {
  int32_t severity = OPSRUN_LOG_INFO;
  std::string text, source;
  uint32_t source_line = 0;
  PlacedNode about;  // without a graph if it is not known
};

// Any thread may call any method.
class Child {
 public:
  using Log = std::function<void(const ChildLine& line)>;  // called by the thread that waits for a reply

  // Starts nothing yet. name, path: of the plugin. tensors: the memory of this process's tensors, or why there is none,
  // so that no process can be started.
  Child(IsolateOptions options, std::string name, std::string path, Result<std::shared_ptr<SharedRegion>> tensors,
        Log log);
  Child(const Child&) = delete;
  ~Child();  // asks the process to end, and kills it if it does not

  const IsolateOptions& options() const { return options_; }
  const std::string& name() const { return name_; }
  const SharedRegion& tensors() const { return **tensors_; }

  struct Answer {
    Status status;
    std::string body;  // of the reply
    std::shared_ptr<const ChildEnd> end =
        nullptr;  // the process has ended instead of answering; the status says so too
  };

  // A conversation: until it is destroyed, no other thread asks.
  class Turn {
   public:
    // about: the nodes that the requests are about, for lines of the log; must outlive it.
    explicit Turn(Child& child, std::span<const PlacedNode> about = {}) : child_(child), lock_(child.mutex_) {
      child_.about_ = about;
    }
    ~Turn() { child_.about_ = {}; }
    // The number of the process that runs now, which is started if none does; 0 if that is impossible. Never the same
    // for two of them.
    uint64_t Process(Answer* why_not) { return child_.StartIfNone(why_not); }
    // The same, but starts none.
    uint64_t Running() { return child_.IsRunning() ? child_.number_ : 0; }
    // Requires: a process runs.
    std::shared_ptr<Channel> channel() const;
    const std::shared_ptr<UnusedTokens>& unused() const;
    // Requires: Process has told that it runs.
    // is_over: asked now and then while the process works; true: it is killed, and the answer is CANCELLED. May be
    // empty.
    Answer Ask(IsolateRequest kind, std::string_view request, const std::function<bool()>& is_over = {}) {
      return child_.Ask(kind, request, is_over);
    }

   private:
    Child& child_;
    const std::unique_lock<std::mutex> lock_;
  };

  // Logs that the process has ended instead of answering a request whose answer does not matter.
  void Warn(const Answer& answer) const;

  // The table of the plugin, as its process opened it last. Starts one.
  Answer Table();

 private:
  struct Process;

  bool IsRunning();
  uint64_t StartIfNone(Answer* why_not);
  Answer Start();
  Answer Ask(IsolateRequest kind, std::string_view request, const std::function<bool()>& is_over);
  Answer Converse(IsolateRequest kind, std::string_view request, const std::function<bool()>& is_over);
  Answer Bury(bool timed_out, bool cancelled);
  void PassOnLog();

  const IsolateOptions options_;
  const std::string name_, path_;
  const Result<std::shared_ptr<SharedRegion>> tensors_;
  const Log log_;
  std::mutex mutex_;                   // guards the members below
  std::span<const PlacedNode> about_;  // of the current turn
  std::unique_ptr<Process> process_;
  uint64_t number_ = 0;  // of the process
  std::string table_;
};

}  // namespace opsrun::host
