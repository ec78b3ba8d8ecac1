// tests/cuda/reports_of_driver.h: what the fake driver reports about this program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace opsrun::host {

// The file of the reports. To be created before the driver is loaded.
class DriverReports {
 public:
  DriverReports() { setenv("OPSRUN_DOUBLE_REPORT", path_.c_str(), 1); }
  ~DriverReports() { std::filesystem::remove(path_); }

  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("opsrun_reports_" + std::to_string(getpid()));
};

// Expects on destruction that there are none.
class NoDriverReports : public DriverReports {
 public:
  ~NoDriverReports() { EXPECT_EQ(Text(), ""); }
};

}  // namespace opsrun::host
