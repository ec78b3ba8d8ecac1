// tests/cuda/fake_driver.h: what only the fake driver has: launching a function of this program as a kernel, and
// reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace opsrun::host {

struct DoubleCalls {
  // Like cuLaunchKernel: passes a copy of the closure to `run` in the process of the kernels. Returns a CUresult.
  int (*launch)(void* stream, const char* kernel, void (*run)(const void* closure), const void* closure,
                size_t bytes) = nullptr;

  // Requires: the driver is loaded, and it is the fake one.
  static const DoubleCalls& Get() {
    static const DoubleCalls calls = [] {
      DoubleCalls found;
      void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
      found.launch = reinterpret_cast<decltype(found.launch)>(dlsym(library, "opsrun_double_launch"));
      return found;
    }();
    return calls;
  }
};

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
