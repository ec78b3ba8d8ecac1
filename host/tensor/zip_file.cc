// host/tensor/zip_file.cc: the only door to minizip, which reads from and writes to memory and files through calls of
// ours.
//
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/zip_file.h"

#include <fmt/core.h>
#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace opsrun::host {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 28;  // minizip counts a call's bytes in 32 bits
constexpr uint64_t kMostDeflated = 1032;        // bytes that deflate can make of one
constexpr uLong kEncrypted = 1;                 // of a member's flags
constexpr uLong kFirstDosDate = 0x00210000;     // 1980-01-01 00:00

uint64_t SeekTarget(uint64_t at, uint64_t end, uint64_t offset, int origin) {
  return offset + (origin == ZLIB_FILEFUNC_SEEK_CUR ? at : origin == ZLIB_FILEFUNC_SEEK_END ? end : 0);
}

// The archive that is read: a block of memory.
struct Source {
  std::string_view bytes;
  uint64_t at = 0;
};

uLong ReadSource(voidpf, voidpf stream, void* to, uLong size) {
  auto& source = *static_cast<Source*>(stream);
  const uint64_t count = std::min<uint64_t>(size, source.bytes.size() - source.at);
  if (count > 0) std::memcpy(to, source.bytes.data() + source.at, count);
  source.at += count;
  return static_cast<uLong>(count);
}

ZPOS64_T TellSource(voidpf, voidpf stream) {
  return static_cast<Source*>(stream)->at;
}

long SeekSource(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto& source = *static_cast<Source*>(stream);
  const uint64_t target = SeekTarget(source.at, source.bytes.size(), offset, origin);
  if (target > source.bytes.size()) return -1;
  source.at = target;
  return 0;
}

// The archive that is written: a file, in which sizes are filled in afterwards.
struct Sink {
  AtomicFile& file;
  uint64_t at = 0;
  uint64_t end = 0;
  Status status;  // of the first write that failed
};

uLong WriteSink(voidpf, voidpf stream, const void* data, uLong size) {
  auto& sink = *static_cast<Sink*>(stream);
  if (sink.status.ok()) sink.status = sink.file.WriteAt(sink.at, data, size);
  if (!sink.status.ok()) return 0;
  sink.at += size;
  sink.end = std::max(sink.end, sink.at);
  return size;
}

ZPOS64_T TellSink(voidpf, voidpf stream) {
  return static_cast<Sink*>(stream)->at;
}

long SeekSink(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto& sink = *static_cast<Sink*>(stream);
  sink.at = SeekTarget(sink.at, sink.end, offset, origin);
  return 0;
}

voidpf OpenStream(voidpf opaque, const void*, int) {
  return opaque;
}
uLong ReadNothing(voidpf, voidpf, void*, uLong) {
  return 0;
}
uLong WriteNothing(voidpf, voidpf, const void*, uLong) {
  return 0;
}
int Nothing(voidpf, voidpf) {
  return 0;
}

Status Damaged(const std::string& what) {
  return InvalidArgument(fmt::format("is a damaged zip archive: {}", what));
}

}  // namespace

struct ZipReader::Impl {
  explicit Impl(std::string_view bytes) : source{bytes} {}
  ~Impl() {
    if (zip != nullptr) unzClose(zip);
  }

  Status GoTo(size_t i) {
    unz64_file_pos place = places[i];
    return unzGoToFilePos64(zip, &place) == UNZ_OK ? OkStatus() : Damaged(fmt::format("no member {}", i));
  }

  // Notes the names and places of all members.
  Status List() {
    unz_global_info64 info{};
    if (unzGetGlobalInfo64(zip, &info) != UNZ_OK) return Damaged("its directory cannot be read");
    int found = info.number_entry == 0 ? UNZ_END_OF_LIST_OF_FILE : unzGoToFirstFile(zip);
    for (; found == UNZ_OK; found = unzGoToNextFile(zip)) {
      unz_file_info64 member{};
      unz64_file_pos place{};
      std::string name(size_t{1} << 16, '\0');
      if (unzGetCurrentFileInfo64(zip, &member, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK ||
          unzGetFilePos64(zip, &place) != UNZ_OK) {
        return Damaged(fmt::format("its member {} cannot be read", names.size()));
      }
      name.resize(std::min<size_t>(member.size_filename, name.size()));
      names.push_back(std::move(name));
      members.push_back(member);
      places.push_back(place);
    }
    return found == UNZ_END_OF_LIST_OF_FILE ? OkStatus() : Damaged("its directory ends too early");
  }

  Source source;
  unzFile zip = nullptr;
  std::vector<std::string> names;
  std::vector<unz_file_info64> members;
  std::vector<unz64_file_pos> places;
};

ZipReader::ZipReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader::~ZipReader() = default;

Result<ZipReader> ZipReader::Open(std::string_view bytes) {
  auto impl = std::make_unique<Impl>(bytes);
  zlib_filefunc64_def calls{OpenStream, ReadSource, WriteNothing, TellSource,
                            SeekSource, Nothing,    Nothing,      &impl->source};
  impl->zip = unzOpen2_64("", &calls);
  const bool begins_like_one = bytes.substr(0, 2) == "PK";
  if (bytes.substr(0, 4) == "PK\5\6") return InvalidArgument("is an empty zip archive");
  if (impl->zip == nullptr) {
    return begins_like_one ? Damaged("it has no directory at its end; it may be cut short")
                           : InvalidArgument("is no zip archive");
  }
  if (Status status = impl->List(); !status.ok()) return status;
  return ZipReader(std::move(impl));
}

const std::vector<std::string>& ZipReader::names() const {
  return impl_->names;
}

Result<uint64_t> ZipReader::Size(size_t i) const {
  const unz_file_info64& member = impl_->members[i];
  if ((member.flag & kEncrypted) != 0) return Unimplemented("is encrypted; save it without a password");
  if (member.compression_method != 0 && member.compression_method != Z_DEFLATED) {
    return Unimplemented(
        fmt::format("is packed by method {}; opsrun reads what is stored or deflated", member.compression_method));
  }
  const bool stored = member.compression_method == 0;
  const bool believable = member.compressed_size <= impl_->source.bytes.size() &&
                          (stored ? member.compressed_size == member.uncompressed_size
                                  : member.uncompressed_size / kMostDeflated <= member.compressed_size);
  if (believable) return uint64_t{member.uncompressed_size};
  return InvalidArgument(fmt::format("claims to hold {} bytes, which its {} bytes cannot", member.uncompressed_size,
                                     member.compressed_size));
}

Result<std::string> ZipReader::Read(size_t i, uint64_t count) {
  const Result<uint64_t> size = Size(i);
  if (!size.ok()) return size.status();
  if (Status status = impl_->GoTo(i); !status.ok()) return status;
  if (unzOpenCurrentFile(impl_->zip) != UNZ_OK) return InvalidArgument("is damaged: it cannot be unpacked");
  std::string bytes(std::min(count, *size), '\0');
  uint64_t used = 0;
  int read = 1;
  while (used < bytes.size() && read > 0) {
    read = unzReadCurrentFile(impl_->zip, bytes.data() + used,
                              static_cast<unsigned>(std::min(kPiece, bytes.size() - used)));
    used += static_cast<uint64_t>(std::max(read, 0));
  }
  const int closed = unzCloseCurrentFile(impl_->zip);
  if (used < bytes.size()) return InvalidArgument("is damaged: it cannot be unpacked");
  if (closed == UNZ_CRCERROR) return InvalidArgument("is damaged: its checksum is wrong");
  return bytes;
}

struct ZipWriter::Impl {
  explicit Impl(AtomicFile& file) : sink{file, 0, 0, {}} {
    zlib_filefunc64_def calls{OpenStream, ReadNothing, WriteSink, TellSink, SeekSink, Nothing, Nothing, &sink};
    zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &calls);
  }
  ~Impl() {
    if (zip != nullptr) zipClose(zip, nullptr);
  }

  Status Check(int answer) const {
    if (!sink.status.ok()) return sink.status;
    return answer == ZIP_OK ? OkStatus() : Internal(fmt::format("cannot write a zip archive: minizip says {}", answer));
  }

  Sink sink;
  zipFile zip = nullptr;
};

ZipWriter::ZipWriter(AtomicFile& file) : impl_(std::make_unique<Impl>(file)) {}
ZipWriter::~ZipWriter() = default;

Status ZipWriter::Begin(const std::string& name) {
  if (impl_->zip == nullptr) return impl_->Check(ZIP_INTERNALERROR);
  zip_fileinfo info{};
  info.dosDate = kFirstDosDate;
  constexpr int kAnySize = 1;  // zip64
  return impl_->Check(zipOpenNewFileInZip2_64(impl_->zip, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                              /*method=*/0, /*level=*/0, /*raw=*/0, kAnySize));
}

Status ZipWriter::Write(const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const auto piece = static_cast<unsigned>(std::min<uint64_t>(kPiece, size));
    if (Status status = impl_->Check(zipWriteInFileInZip(impl_->zip, next, piece)); !status.ok()) return status;
    next += piece;
    size -= piece;
  }
  return OkStatus();
}

Status ZipWriter::End() {
  return impl_->Check(zipCloseFileInZip(impl_->zip));
}

Status ZipWriter::Finish() {
  return impl_->Check(zipClose(std::exchange(impl_->zip, nullptr), nullptr));
}

}  // namespace opsrun::host
