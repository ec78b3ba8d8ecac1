// tests/host/cli/captured_console.h: a console whose two streams are strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "host/cli/console.h"

namespace opsrun::host {

// A file for writing whose content is a string.
struct CapturedStream {
  CapturedStream() : file(open_memstream(&bytes, &size)) {}
  CapturedStream(const CapturedStream&) = delete;
  ~CapturedStream() {
    std::fclose(file);
    std::free(bytes);
  }
  std::string Text() {
    std::fflush(file);
    return std::string(bytes, size);
  }

  char* bytes = nullptr;
  size_t size = 0;
  std::FILE* file;
};

struct CapturedConsole {
  explicit CapturedConsole(ErrorFormat format = ErrorFormat::kHuman, bool quiet = false)
      : console(data_stream.file, talk_stream.file, {format, false}, quiet) {}

  std::string data() { return data_stream.Text(); }
  std::string talk() { return talk_stream.Text(); }

  CapturedStream data_stream;
  CapturedStream talk_stream;
  Console console;
};

}  // namespace opsrun::host
