// tests/host/base/in_folder.h: tests in a folder of their own, with words to say things about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {

class InFolder : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.File(name); }
  void Put(const std::string& name, const std::string& text) const { folder_.Write(name, text); }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t FilesThere() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TempDir folder_;
};

}  // namespace opsrun::host
