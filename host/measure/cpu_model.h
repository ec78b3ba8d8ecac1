// host/measure/cpu_model.h: the name of the processor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// From the text of /proc/cpuinfo; "unknown CPU" where it has no "model name", as on ARM.
inline std::string CpuModel(std::string_view cpuinfo) {
  constexpr std::string_view kKey = "model name";
  const size_t line = cpuinfo.starts_with(kKey) ? 0 : cpuinfo.find("\nmodel name");
  const size_t colon = line == std::string_view::npos ? line : cpuinfo.find(": ", line + kKey.size());
  if (colon == std::string_view::npos) return "unknown CPU";
  const std::string_view rest = cpuinfo.substr(colon + 2);
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace opsrun::host
