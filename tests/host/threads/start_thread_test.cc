// SPDX-License-Identifier: Apache-2.0
#include "host/threads/start_thread.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <map>

#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

// AvailableCpus in a root with these files, if there were no affinity mask in the way: the mask allows at least one.
int CpusWith(const std::map<std::string, std::string>& files) {
  const TempDir root;
  for (const auto& [name, text] : files) root.Write(name, text);
  return AvailableCpus(root.path());
}

int InMask() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

TEST(AvailableCpus, IsTheMaskWithoutControlGroups) {
  EXPECT_EQ(CpusWith({}), InMask());
  EXPECT_GE(AvailableCpus(), 1);
  EXPECT_LE(AvailableCpus(), InMask());
}

TEST(AvailableCpus, ReadsVersion2) {
  const int mask = InMask();
  for (const auto& [max, cpus] : {std::pair("100000 100000\n", 1), std::pair("max 100000\n", mask),
                                  std::pair("10000 100000\n", 1), std::pair("110000 100000\n", std::min(2, mask))})
    EXPECT_EQ(CpusWith({{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", max}}), cpus) << max;
  EXPECT_EQ(CpusWith({{"proc/self/cgroup", "0::/a/b\n"},
                      {"sys/fs/cgroup/a/cpu.max", "100000 100000\n"},
                      {"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}}),
            1)
      << "the least of the groups above counts";
  EXPECT_EQ(CpusWith({{"proc/self/cgroup", "nonsense\n::\n0::/\n"}, {"sys/fs/cgroup/cpu.max", "what ever\n"}}), mask);
}

TEST(AvailableCpus, ReadsVersion1) {
  const struct {
    const char *groups, *quota;
    int cpus;
  } rows[] = {{"7:memory:/m\n4:cpu,cpuacct:/x\n", "50000\n", 1},
              {"7:memory:/x\n4:cpuset:/x\n", "50000\n", InMask()},
              {"4:cpu:/x\n", "-1\n", InMask()}};
  for (const auto& row : rows) {
    EXPECT_EQ(CpusWith({{"proc/self/cgroup", row.groups},
                        {"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", row.quota},
                        {"sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n"}}),
              row.cpus)
        << row.groups;
  }
}

}  // namespace
}  // namespace opsrun::host
