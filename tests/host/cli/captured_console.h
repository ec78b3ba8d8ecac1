// tests/host/cli/captured_console.h: a console whose two streams are strings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "host/cli/console.h"

namespace opsrun::host {

class CapturedConsole {
 public:
  explicit CapturedConsole(ErrorFormat format = ErrorFormat::kHuman, bool quiet = false)
      : console(data_.file, talk_.file, {format, false}, quiet) {}

  std::string data() { return data_.Text(); }
  std::string talk() { return talk_.Text(); }

 private:
  struct Stream {
    Stream() : file(open_memstream(&bytes, &size)) {}
    Stream(const Stream&) = delete;
    ~Stream() {
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

  Stream data_;
  Stream talk_;

 public:
  Console console;
};

}  // namespace opsrun::host
