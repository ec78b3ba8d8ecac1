// host/probe/verdict.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/probe/verdict.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>

namespace opsrun::host {
namespace {

constexpr std::string_view kFirstLine = "opsrun verdict 1";
constexpr std::string_view kLastLine = "end";
constexpr size_t kMostLibraries = 10'000;

std::string_view NextLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

// The value of a line "key value"; nothing if it has another key.
std::optional<std::string_view> Value(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return std::nullopt;
  return line.substr(key.size() + 1);
}

template <typename T>
bool ParseNumber(std::string_view* text, T* number, int base = 10) {
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *number, base);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

// "size time", and what follows after a blank.
bool ParseStamp(std::string_view* text, FileStamp* stamp) {
  if (!ParseNumber(text, &stamp->size) || !text->starts_with(' ')) return false;
  text->remove_prefix(1);
  return ParseNumber(text, &stamp->time);
}

}  // namespace

std::optional<FileStamp> StampOf(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{static_cast<uint64_t>(status.st_size),
                   int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::string VerdictText(const Verdict& verdict) {
  std::string text = fmt::format("{}\nhost {}\npath {}\nstamp {} {}\nbuild {}\ncontent {:x}\n", kFirstLine,
                                 verdict.host, verdict.path, verdict.stamp.size, verdict.stamp.time,
                                 verdict.build_id.empty() ? "-" : verdict.build_id, verdict.content);
  for (const Verdict::Library& library : verdict.libraries)
    text += fmt::format("library {} {} {}\n", library.stamp.size, library.stamp.time, library.path);
  return text + std::string(kLastLine) + '\n';
}

std::optional<Verdict> ParseVerdict(std::string_view text) {
  Verdict verdict;
  if (NextLine(&text) != kFirstLine) return std::nullopt;
  const auto host = Value(NextLine(&text), "host"), path = Value(NextLine(&text), "path");
  auto stamp = Value(NextLine(&text), "stamp");
  const auto build = Value(NextLine(&text), "build");
  auto content = Value(NextLine(&text), "content");
  if (!host || !path || !stamp || !build || !content) return std::nullopt;
  if (!ParseStamp(&*stamp, &verdict.stamp) || !stamp->empty()) return std::nullopt;
  if (!ParseNumber(&*content, &verdict.content, 16) || !content->empty()) return std::nullopt;
  verdict.host = *host;
  verdict.path = *path;
  if (*build != "-") verdict.build_id = *build;
  std::string_view line;
  while ((line = NextLine(&text)) != kLastLine) {
    auto value = Value(line, "library");
    Verdict::Library library;
    if (!value || !ParseStamp(&*value, &library.stamp) || !value->starts_with(' ') || value->size() < 2)
      return std::nullopt;
    library.path = value->substr(1);
    verdict.libraries.push_back(std::move(library));
    if (verdict.libraries.size() > kMostLibraries) return std::nullopt;
  }
  return text.empty() ? std::optional(std::move(verdict)) : std::nullopt;
}

}  // namespace opsrun::host
