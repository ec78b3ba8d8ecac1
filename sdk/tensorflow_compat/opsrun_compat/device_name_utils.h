// opsrun_compat/device_name_utils.h: DeviceNameUtils: names of devices, such as that of DeviceBase::name(), in parts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"
#include "opsrun_compat/read_number.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class DeviceNameUtils {
 public:
  // Each part is there or not; what is not there is 0 or empty.
  struct ParsedName {
    bool has_job = false, has_replica = false, has_task = false, has_type = false, has_id = false;
    std::string job, type;
    int replica = 0, task = 0, id = 0;
  };

  // Takes "/job:worker/replica:0/task:1/device:GPU:2" apart, or some of its parts in any order. "/gpu:2" is short for
  // the last one, "*" in place of a part says that it is not there. False: it is not such a name.
  static bool ParseFullName(StringPiece name, ParsedName* parsed) {
    *parsed = ParsedName();
    if (name == "/") return true;
    while (!name.empty()) {
      if (name.front() != '/') return false;
      const size_t end = name.find('/', 1);
      if (!ParsePart(name.substr(1, end == StringPiece::npos ? end : end - 1), parsed)) return false;
      name.remove_prefix(end == StringPiece::npos ? name.size() : end);
    }
    return true;
  }
  // The same for "GPU:2".
  static bool ParseLocalName(StringPiece name, ParsedName* parsed) {
    *parsed = ParsedName();
    return name.find('*') == StringPiece::npos && ParseDevice(name, parsed) && parsed->has_id;
  }

  static std::string ParsedNameToString(const ParsedName& parsed) {
    std::string name;
    if (parsed.has_job) strings::StrAppend(&name, "/job:", parsed.job);
    if (parsed.has_replica) strings::StrAppend(&name, "/replica:", parsed.replica);
    if (parsed.has_task) strings::StrAppend(&name, "/task:", parsed.task);
    if (parsed.has_type) strings::StrAppend(&name, "/device:", parsed.type, ":");
    if (parsed.has_type && parsed.has_id) strings::StrAppend(&name, parsed.id);
    if (parsed.has_type && !parsed.has_id) name += "*";
    return name;
  }
  static std::string FullName(const std::string& job, int replica, int task, const std::string& type, int id) {
    return strings::StrCat("/job:", job, "/replica:", replica, "/task:", task, "/device:", type, ":", id);
  }
  static std::string LocalName(StringPiece type, int id) { return strings::StrCat("/device:", type, ":", id); }

 private:
  static bool IsWord(StringPiece text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (const char c : text) {
      if (!is_letter(c) && c != '_' && !(c >= '0' && c <= '9')) return false;
    }
    return !text.empty() && is_letter(text.front());
  }
  static bool ParseNumber(StringPiece text, bool* has, int* number) {
    *has = text != "*";
    return !*has ||
           (text.find_first_not_of("0123456789") == StringPiece::npos && internal::ReadInteger(text, 10, number));
  }
  // "GPU:2", "GPU:*", "GPU" or "*".
  static bool ParseDevice(StringPiece text, ParsedName* parsed) {
    const size_t colon = text.find(':');
    const StringPiece type = text.substr(0, colon);
    parsed->has_id = false;
    parsed->has_type = type != "*";
    if (parsed->has_type) parsed->type = type;
    if (parsed->has_type && !IsWord(type)) return false;
    return colon == StringPiece::npos || ParseNumber(text.substr(colon + 1), &parsed->has_id, &parsed->id);
  }
  static bool ParsePart(StringPiece part, ParsedName* parsed) {
    const size_t colon = part.find(':');
    if (colon == StringPiece::npos) return false;
    const StringPiece name = part.substr(0, colon), value = part.substr(colon + 1);
    if (name == "job") {
      parsed->has_job = value != "*";
      if (parsed->has_job) parsed->job = value;
      return !parsed->has_job || IsWord(value);
    }
    if (name == "replica") return ParseNumber(value, &parsed->has_replica, &parsed->replica);
    if (name == "task") return ParseNumber(value, &parsed->has_task, &parsed->task);
    if (name == "device") return ParseDevice(value, parsed);
    // The older names "/cpu:0" and "/gpu:0".
    if (name != "cpu" && name != "gpu" && name != "CPU" && name != "GPU") return false;
    parsed->has_type = true;
    parsed->type = (name.front() | 32) == 'c' ? "CPU" : "GPU";
    return ParseNumber(value, &parsed->has_id, &parsed->id);
  }
};

}  // namespace OPSRUN_HIDDEN
