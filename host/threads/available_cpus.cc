// host/threads/available_cpus.cc: the processors that this process may use.
// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

int InAffinityMask() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return kNoLimit;  // more processors than fit into the set
  return std::max(1, CPU_COUNT(&set));
}

// "max", -1 and quotas that cannot be read mean no limit.
int Cpus(const std::string& quota, double period) {
  if (quota.empty() || quota == "max" || period <= 0) return kNoLimit;
  const double microseconds = std::strtod(quota.c_str(), nullptr);
  if (microseconds <= 0) return kNoLimit;
  return static_cast<int>(std::clamp((microseconds + period - 1) / period, 1.0, 1e6));
}

// Control groups, version 2: "cpu.max" has "QUOTA PERIOD".
int QuotaV2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  file >> quota >> period;
  return Cpus(quota, period);
}

int QuotaV1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  std::string quota;
  double period = 0;
  quota_file >> quota;
  period_file >> period;
  return Cpus(quota, period);
}

// The minimum of the quotas of the group and its ancestors. In a container, the path may name a directory that exists
// only outside; then only the root of the mount is found.
template <typename Quota>
int LeastUpwards(const std::string& mount, std::string group, Quota quota) {
  int least = quota(mount);
  while (group.size() > 1) {
    least = std::min(least, quota(mount + group));
    group.resize(group.find_last_of('/'));
  }
  return least;
}

// /proc/self/cgroup has lines "ID:CONTROLLERS:PATH". In version 2 the controllers are empty.
int InControlGroups(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  int least = kNoLimit;
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, LeastUpwards(root + "/sys/fs/cgroup", group, QuotaV2));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      least = std::min(least, LeastUpwards(root + "/sys/fs/cgroup/cpu", group, QuotaV1));
    }
  }
  return least;
}

}  // namespace

int AvailableCpus(const std::string& root) {
  const int cpus = std::min(InAffinityMask(), InControlGroups(root));
  return cpus == kNoLimit ? 1 : cpus;
}

}  // namespace opsrun::host
