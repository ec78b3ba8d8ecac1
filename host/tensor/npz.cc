// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/npz.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "host/base/file.h"
#include "host/base/near_names.h"
#include "host/tensor/npy.h"
#include "host/tensor/zip_archive.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr uint64_t kMostHeader = (uint64_t{1} << 16) + 64;
constexpr size_t kLongestKey = 200;

// NumPy's key for a member.
std::string_view KeyOf(std::string_view member) {
  return member.substr(0, member.size() - (member.ends_with(kSuffix) ? kSuffix.size() : 0));
}

Status NoKey(const ZipReader& zip, const std::string& file, const std::string& key) {
  std::vector<std::string> keys;
  for (const std::string_view member : zip.names()) keys.emplace_back(KeyOf(member));
  return {OPSRUN_NOT_FOUND, fmt::format("'{}' has no array '{}'; {}", file, key, DidYouMean(key, keys, "arrays in it")),
          "key"};
}

Result<size_t> FindKey(const ZipReader& zip, const std::string& file, const std::string& key) {
  const std::vector<std::string_view>& names = zip.names();
  const auto has_key = [&key](std::string_view member) { return KeyOf(member) == key; };
  const auto found = std::find_if(names.begin(), names.end(), has_key);
  if (found == names.end()) return NoKey(zip, file, key);
  if (std::any_of(found + 1, names.end(), has_key)) {
    return InvalidArgument(fmt::format("'{}' has two arrays '{}'", file, key), "key");
  }
  return static_cast<size_t>(found - names.begin());
}

// Checks that the member is as long as its .npy header says, before memory is allocated for all of it.
Status CheckMember(const ZipReader& zip, size_t i, std::optional<DType> as) {
  const Result<uint64_t> size = zip.Size(i);
  if (!size.ok()) return size.status();
  const Result<std::string> head = zip.Read(i, kMostHeader);
  if (!head.ok()) return head.status();
  const Result<NpyHeader> header = ParseNpyHeader(*head, as);
  if (!header.ok()) return header.status();
  if (Status status = CheckNpySize(*header, *size - header->data_offset); !status.ok()) return status;
  const uint64_t most = MachineMemory() / 2;
  return *size <= most ? OkStatus()
                       : ResourceExhausted(fmt::format("holds {} bytes, more than the {} that fit here", *size, most));
}

}  // namespace

Result<Tensor> ParseNpz(const std::string& bytes, const std::string& name, const std::string& key,
                        std::optional<DType> as) {
  const Result<ZipReader> zip = ZipReader::Open(bytes);
  if (!zip.ok()) return Named(name, zip.status());
  const Result<size_t> member = FindKey(*zip, name, key);
  if (!member.ok()) return member.status();
  const std::string full_name = fmt::format("{}:{}", name, key);
  if (Status status = CheckMember(*zip, *member, as); !status.ok()) return Named(full_name, status);
  Result<std::string> npy = zip->Read(*member, MachineMemory());
  if (!npy.ok()) return Named(full_name, npy.status());
  return ParseNpy(*npy, full_name, as);
}

Result<Tensor> ReadNpz(const std::string& path, const std::string& key, std::optional<DType> as) {
  // The archive, one member and its tensor are in memory at the same time.
  Result<std::string> bytes = ReadFileOrPipe(path, MachineMemory() / 2);
  if (!bytes.ok()) return bytes.status();
  return ParseNpz(*bytes, path, key, as);
}

bool IsNpzKey(const std::string& text) {
  const auto is_bad = [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= kLongestKey && std::none_of(text.begin(), text.end(), is_bad);
}

Result<AtomicFile> WriteNpzAside(const std::string& path, const std::vector<NpzEntry>& entries) {
  Result<AtomicFile> file = AtomicFile::Create(path);
  if (!file.ok()) return file;
  ZipWriter zip(*file);
  for (const NpzEntry& entry : entries) {
    if (Status status = zip.Begin(entry.key + std::string(kSuffix)); !status.ok()) return status;
    const auto write = [&](const void* data, size_t size) { return zip.Write(data, size); };
    if (Status status = WriteNpyTo(entry.tensor, path, write); !status.ok()) return status;
    if (Status status = zip.End(); !status.ok()) return status;
  }
  if (Status status = zip.Finish(); !status.ok()) return status;
  if (Status status = file->Flush(); !status.ok()) return status;
  return file;
}

}  // namespace opsrun::host
