// host/graph/write_compiled.cc: writes compiled graphs.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "host/graph/compiled_layout.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace opsrun::host {

using namespace compiled;

namespace {

size_t RoundUp(size_t bytes, size_t to) {
  return (bytes + to - 1) / to * to;
}

class Writer {
 public:
  explicit Writer(const ByteSink& write) : write_(write) {}

  Status Write(const CompiledParts& parts) {
    const std::vector<ArrayRecord> arrays = PlaceArrays(parts);
    const std::string_view views[kParts] = {parts.head,          ViewOf(parts.places), parts.text,
                                            parts.names,         ViewOf(parts.nodes),  ViewOf(parts.inputs),
                                            ViewOf(parts.after), ViewOf(parts.named),  ViewOf(arrays)};
    std::string front(sizeof(Header), '\0');
    for (size_t part = 0; part < kParts; ++part) {
      front.resize(RoundUp(front.size(), kAlignment));
      header_.parts[part] = {front.size(), views[part].size()};
      front += views[part];
    }
    if (!parts.arrays.empty()) front.resize(RoundUp(front.size(), kAlignment));
    if (front.size() > kMostBytes) return ResourceExhausted(fmt::format("the graph needs {} bytes", front.size()));
    header_.data = front.size();
    header_.size = front.size() + array_bytes_;
    for (size_t i = 0; i < arrays.size(); ++i) {
      ArrayRecord record = arrays[i];
      record.offset += header_.data;
      std::memcpy(front.data() + header_.parts[kArrays].offset + i * sizeof(record), &record, sizeof(record));
    }
    std::memcpy(front.data(), &header_, sizeof(header_));
    SealCompiledGraph(front);
    if (Status status = write_(front.data(), front.size()); !status.ok()) return status;
    return WriteArrays(parts);
  }

 private:
  template <typename T>
  static std::string_view ViewOf(const std::vector<T>& records) {
    return {reinterpret_cast<const char*>(records.data()), records.size() * sizeof(T)};
  }

  std::vector<ArrayRecord> PlaceArrays(const CompiledParts& parts) {
    std::vector<ArrayRecord> records;
    for (const auto& [feed, tensor] : parts.arrays) {
      const size_t bytes = tensor.num_bytes();
      records.push_back({feed, 0, array_bytes_, bytes, XXH3_64bits(tensor.data(), bytes)});
      array_bytes_ += RoundUp(bytes, kAlignment);
    }
    return records;
  }

  Status WriteArrays(const CompiledParts& parts) {
    constexpr char kZeros[kAlignment] = {};
    for (const auto& each : parts.arrays) {
      const size_t bytes = each.second.num_bytes();
      Status status = write_(each.second.data(), bytes);
      if (status.ok()) status = write_(kZeros, RoundUp(bytes, kAlignment) - bytes);
      if (!status.ok()) return status;
    }
    return OkStatus();
  }

  const ByteSink& write_;
  Header header_ = [] {
    Header header;
    std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
    header.format = kCompiledFormat;
    return header;
  }();
  size_t array_bytes_ = 0;
};

}  // namespace

Status WriteCompiledGraph(const CompiledParts& parts, const ByteSink& write) {
  return Writer(write).Write(parts);
}

void SealCompiledGraph(std::string& front) {
  if (front.size() < sizeof(Header)) return;
  const uint64_t hash = XXH3_64bits(front.data() + kHashed, front.size() - kHashed);
  std::memcpy(front.data() + offsetof(Header, hash), &hash, sizeof(hash));
}

bool AreCompiledGraph(std::string_view bytes) {
  return bytes.starts_with(std::string_view(kMagic, sizeof(kMagic)));
}

bool IsCompiledGraph(const std::string& path) {
  struct stat state {};
  char begin[sizeof(kMagic)] = {};
  if (HoldsNul(path) || stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return false;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return pread(file.get(), begin, sizeof(begin), 0) == sizeof(begin) && AreCompiledGraph({begin, sizeof(begin)});
}

}  // namespace opsrun::host
