// host/show/palette.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/palette.h"

#include <iterator>

namespace opsrun::host {
namespace {

constexpr Shade kCpu = {"#d3e9f8", "#0072b2"};
constexpr Shade kOthers[] = {{"#fbe7bf", "#b97d00"},
                             {"#c9efe2", "#00805c"},
                             {"#f3d9e7", "#a8527f"},
                             {"#f9f5c0", "#8f8500"},
                             {"#e2dcf5", "#6a51a3"}};

}  // namespace

std::map<std::string, Shade> DeviceShades(const std::set<std::string>& devices) {
  std::map<std::string, Shade> shades;
  size_t next = 0;
  for (const std::string& device : devices) {
    shades[device] = device == "CPU" ? kCpu : kOthers[next++ % std::size(kOthers)];
  }
  return shades;
}

}  // namespace opsrun::host
