// host/cli/dev/dev.h: the parts of opsrun dev: what changed in files, programs that end with this one, and what changed
// in results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/file.h"
#include "host/cli/console.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// Files whose changes matter. One thread.
class WatchedFiles {
 public:
  // source_folders: sources in them and below, but for hidden folders and those of builds.
  explicit WatchedFiles(std::vector<std::string> source_folders);
  WatchedFiles(const WatchedFiles&) = delete;

  // The files of a graph, and the folders of its plugins. Replaces those of the last call.
  void SetInputs(std::vector<std::string> files, std::vector<std::string> plugin_folders);

  // What has changed in contents since the last call; the first call remembers all. A file that was written again with
  // the same bytes has not changed.
  struct Changes {
    std::vector<std::string> sources, inputs;  // paths
    bool empty() const { return sources.empty() && inputs.empty(); }
  };
  Changes Look();

  // Readable when Look may find something; -1: unknown.
  int events() const { return events_.get(); }
  // Waits until nothing happens for a moment, as after an editor has written, and renamed, a file.
  void Settle();
  // False if the system cannot watch all folders: then ask Look regularly.
  bool complete() const { return complete_ && events_.get() >= 0; }
  // True if there are too many files, of which the last ones are ignored.
  bool too_many() const { return too_many_; }

 private:
  struct Known {
    FileState state;
    std::string digest;  // empty: unreadable
  };
  using Files = std::map<std::string, bool>;  // true: a source

  void ScanSources(const std::string& folder, Files& files);
  void WatchFolder(const std::string& folder);

  const std::vector<std::string> source_folders_;
  std::vector<std::string> inputs_, plugin_folders_;
  const Descriptor events_;
  bool complete_ = true, too_many_ = false;
  std::map<std::string, Known> known_;
  bool first_ = true;
};

// The libraries below the folders that were written since `since`, in nanoseconds since 1970. Also looks at folders of
// builds.
std::vector<std::string> NewLibraries(const std::vector<std::string>& folders, int64_t since);

// A program that is killed with all that it has started when this object ends, or when this program ends.
class OwnProcess {
 public:
  OwnProcess() = default;
  OwnProcess(const OwnProcess&) = delete;
  ~OwnProcess();

  // Standard input is empty. talk: standard error and output; -1: none. output: standard output instead; -1: as `talk`.
  // Returns an errno, or 0.
  int Start(const std::vector<std::string>& words, int talk, int output = -1);
  bool HasEnded() const;
  // The status of waitpid. Waits if it has not ended.
  int Wait();
  void Kill();

 private:
  pid_t pid_ = -1;
};

// SIGINT, SIGTERM, SIGHUP and SIGCHLD are read from a descriptor while it exists.
class SignalInbox {
 public:
  SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  ~SignalInbox();
  int descriptor() const { return descriptor_.get(); }  // readable once one has come
  // The first that has come and is not SIGCHLD, of which this only takes note; 0: none.
  int Take() const;

 private:
  sigset_t before_;
  Descriptor descriptor_;
};

// A folder that only this user can read, removed with its files at the end.
class PrivateFolder {
 public:
  PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  ~PrivateFolder();
  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
};

struct DevOptions {
  std::string build;                 // a command of the shell; empty: nothing is built
  std::vector<std::string> folders;  // of sources, besides that of the graph
  GraphOptions graph;
  CommonOptions common;
};

// The words of another command that runs the same graph in the same way, or, without `runs`, plans it.
std::vector<std::string> WordsFor(const char* command, const DevOptions& options, bool runs = true);

// Builds and runs, and again after each change, until a signal comes. Returns the exit status: 128 + the signal, or
// that of an error that ends it.
int RunDev(const DevOptions& options, Console& console);

struct NamedResult {
  std::string name;
  Tensor tensor;
};

// The results in full, as run prints them.
std::string ResultsText(const std::vector<NamedResult>& results);
// A line for each result that differs from the one of that name before, is new, or is gone.
std::string ResultChanges(const std::vector<NamedResult>& before, const std::vector<NamedResult>& now);

// A tensor that a node computes.
struct NamedShape {
  std::string name;
  std::string type_and_shape;  // "float32 [2, ?]"
};

// From what `plan --json` prints, in the order of the plan; empty if it is something else.
std::vector<NamedShape> ShapesOfPlan(const std::string& json);
// A line for each tensor whose type or shape differs from the one of that name before, but for those called as
// `results`: those are shown anyway.
std::string ShapeChanges(const std::vector<NamedShape>& before, const std::vector<NamedShape>& now,
                         const std::vector<std::string>& results);

}  // namespace opsrun::host
