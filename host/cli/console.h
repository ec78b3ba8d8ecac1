// host/cli/console.h: where a command writes: data to standard output, everything else to standard error.
//
// Commands need not check individual writes: Finish checks at the end whether everything was written.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {

class Console {
 public:
  // Does not own the files. quiet: only errors are written to `talk`.
  Console(std::FILE* data, std::FILE* talk, RenderStyle style, bool quiet)
      : data_(data), talk_(talk), style_(style), quiet_(quiet) {
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

  // Flushes both. Returns exit_code, unless it is kExitOk and standard output could not be written completely: then
  // kExitFailed after a message, or kExitBrokenPipe without one if the reader has closed the pipe.
  int Finish(int exit_code);

 private:
  void Flush();
  void Remark(std::string_view level, std::string_view text);
  void Talk(std::string_view text);

  std::FILE* data_;
  std::FILE* talk_;
  RenderStyle style_;
  bool quiet_;
  int data_error_ = 0;  // errno of the first write that failed
};

}  // namespace opsrun::host
