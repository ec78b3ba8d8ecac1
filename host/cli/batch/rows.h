// host/cli/batch/rows.h: what the readers of manifests share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "host/cli/batch/batch.h"

namespace opsrun::host {

inline constexpr char kIdKey[] = "id";

inline bool IsText(const Feed& feed) {
  return feed.dtype && feed.dtype->value == DType::kString;
}

// Adds a mistake F401 in the first line of a text.
Diagnostic& RefuseRow(Diagnostics& diagnostics, std::string message, std::string help, uint32_t column = 1);

// False after a mistake. Ids are names of files.
bool CheckId(const std::string& id, Diagnostics& diagnostics, uint32_t column);

// A text is a file, unless the feed is of strings.
ItemInput InputOf(const Feed& feed, Json value, const std::filesystem::path& folder);

// Lines of a file.
class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), folder_(std::filesystem::path(path).parent_path().string()) {}

  // The first line is next. FAILED_PRECONDITION if the file has changed since the last call.
  Status Begin();
  // Without its line break; false at the end.
  bool Next(std::string& line);

  uint32_t line() const { return line_; }
  const std::string& folder() const { return folder_; }

 private:
  const std::string path_, folder_;
  std::optional<FileState> state_;
  std::ifstream file_;
  uint32_t line_ = 0;
};

std::unique_ptr<Manifest> OpenCsv(const std::string& path, char separator, std::vector<const Feed*> feeds);

}  // namespace opsrun::host
