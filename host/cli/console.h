// host/cli/console.h: what a command reads and writes: the console, files, and programs to start.
//
// Data goes to standard output, everything else to standard error. Commands need not check individual writes: Finish
// checks at the end whether everything was written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "host/base/status.h"
#include "host/cli/options.h"
#include "host/graph/graph.h"

namespace opsrun::host {

// Keeps standard output for results: from now on, what plugins write to descriptor 1 goes to standard error. Made once.
class OutputAside {
 public:
  OutputAside();
  OutputAside(const OutputAside&) = delete;
  ~OutputAside();

  // Standard output, by another descriptor.
  std::FILE* file() { return file_; }

  // Descriptor 1 is standard output again while it exists: to open /dev/stdout.
  class Back {
   public:
    explicit Back(const OutputAside* aside);  // may be null
    Back(const Back&) = delete;
    ~Back();

   private:
    const OutputAside* aside_;
  };

 private:
  std::FILE* file_;
};

class Console {
 public:
  // Does not own the files. quiet: only errors are written to `talk`. aside: that of `data`, or null.
  Console(std::FILE* data, std::FILE* talk, RenderStyle style, bool quiet, const OutputAside* aside = nullptr)
      : data_(data), talk_(talk), style_(style), quiet_(quiet), aside_(aside) {
    style_.summary = style.summary && !quiet;
  }
  Console(const Console&) = delete;

  void Print(std::string_view text);

  // "note: text". Nothing if quiet.
  void Note(std::string_view text);

  // "ok: text", if everything printed so far was written. Nothing if quiet.
  void Ok(std::string_view text);

  // Text of several lines that the user requested, printed even if quiet: unchanged, or in JSON as
  // {"level":level,"message":text}.
  void Show(std::string_view level, std::string_view text);

  // If quiet, only errors are printed. source: the file that the messages refer to; may be null. Both return the exit
  // status: that of the message's code, or ExitCode(diagnostics).
  int Report(const Diagnostic& d, const SourceFile* source = nullptr);
  int Report(const Diagnostics& diagnostics, const SourceFile* source);

  const OutputAside* aside() const { return aside_; }

  // Writes what was printed so far, for readers that do not wait for the end.
  void Flush();

  // Flushes both. Returns exit_code, unless it is kExitOk and standard output could not be written completely: then
  // kExitFailed after a message, or kExitBrokenPipe without one if the reader has closed the pipe.
  int Finish(int exit_code);

 private:
  void Remark(std::string_view level, std::string_view text);
  void Talk(std::string_view text);

  std::FILE* data_;
  std::FILE* talk_;
  RenderStyle style_;
  bool quiet_;
  const OutputAside* aside_;
  int data_error_ = 0;  // errno of the first write that failed
};

// False after an error (P102) with the reason.
bool CanRead(const std::string& file, Console& console);

// The files that the feed arguments and the graph name; graph: may be null.
std::vector<GraphFile> FilesInUse(const Graph* graph, const std::vector<FeedArgument>& feeds);

// Error U007 if `file`, the value of `option`, is one of them. Nothing if it is empty or "-".
std::optional<Diagnostic> RefuseFileInUse(const std::string& option, const std::string& file,
                                          const std::vector<GraphFile>& in_use);

// Writes to `file`, completely or not at all, or to standard output if it is empty or "-". False after an error (R504).
bool WriteText(std::string_view text, const std::string& file, Console& console);

// Finds programs to start.

// The absolute path of a program in PATH; empty if there is none. Relative entries of PATH are skipped: the current
// folder may contain another person's graph with a program next to it.
std::string FindProgram(const std::string& name);

// The words that this program was started with; none if they cannot be read.
std::vector<std::string> OwnWords();

}  // namespace opsrun::host
