// host/cli/console.h: where a command writes. Data goes to standard output, talk to standard error.
//
// A command prints and reports as it goes and asks nothing; whether everything was written is found at the end, by
// Finish.
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
  // Does not own the files. quiet: only errors reach `talk`.
  Console(std::FILE* data, std::FILE* talk, RenderStyle style, bool quiet)
      : data_(data), talk_(talk), style_(style), quiet_(quiet) {
    style_.summary = style.summary && !quiet;
  }
  Console(const Console&) = delete;

  void Print(std::string_view text);

  // "note: text". Nothing when quiet.
  void Note(std::string_view text);

  // "ok: text", if everything printed so far could be written. Nothing when quiet.
  void Ok(std::string_view text);

  // Text of several lines that was asked for: as it is, or in JSON as {"level":level,"message":text}. Also when quiet.
  void Show(std::string_view level, std::string_view text);

  // Without errors, nothing when quiet. source: the file that the messages are about, or null.
  void Report(const Diagnostic& d, const SourceFile* source = nullptr);
  void Report(const Diagnostics& diagnostics, const SourceFile* source);

  // Flushes both. exit_code, unless that is kExitOk and standard output did not take everything: then kExitFailed after
  // a message, or kExitBrokenPipe, silently, if its reader went away.
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
