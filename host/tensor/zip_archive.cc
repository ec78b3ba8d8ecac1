// host/tensor/zip_archive.cc: finds the members in the archive's directory; zlib unpacks them.
//
// The layout is that of PKWARE's APPNOTE, 4.3: members, directory, [zip64 end, its locator,] end. Numbers are
// little-endian. If a 32-bit field of a directory record is all ones, its value is in the record's zip64 extra field.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <minizip/zip.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMostDeflated = 1032;  // most bytes that deflate can make of one
constexpr uint64_t kEncrypted = 1;        // bit of a member's flags
constexpr uint64_t kInZip64 = 0xffffffff;
constexpr size_t kLocalSize = 30;     // a member's own header, without name and extra fields
constexpr size_t kRecordSize = 46;    // a record in the directory, without name and extra fields
constexpr size_t kEndSize = 22;       // the end record, without its comment
constexpr size_t kLocatorSize = 20;   // the locator of the zip64 end record
constexpr size_t kZip64EndSize = 56;  // the zip64 end record

Status Damaged(std::string_view what) {
  return InvalidArgument(fmt::format("is a damaged zip archive: {}", what));
}

// The little-endian number of `size` bytes at `at`. Requires: it is within `bytes`.
uint64_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// What the directory says about a member.
struct ZipMember {
  uint64_t flags, method, checksum, packed_size, size, offset;
};

// The content of the zip64 extra field; empty if there is none.
std::string_view Zip64Field(std::string_view extra) {
  while (extra.size() >= 4) {
    const uint64_t id = NumberAt(extra, 0, 2), size = NumberAt(extra, 2, 2);
    if (id == 1) return extra.substr(4, size);
    extra.remove_prefix(std::min<size_t>(extra.size(), 4 + size));
  }
  return {};
}

// Requires: a complete record. INVALID_ARGUMENT if the zip64 field lacks a number that the record refers to.
Result<ZipMember> MemberOf(std::string_view record) {
  ZipMember member{NumberAt(record, 8, 2),  NumberAt(record, 10, 2), NumberAt(record, 16, 4),
                   NumberAt(record, 20, 4), NumberAt(record, 24, 4), NumberAt(record, 42, 4)};
  std::string_view wide = Zip64Field(record.substr(kRecordSize + NumberAt(record, 28, 2), NumberAt(record, 30, 2)));
  for (uint64_t* number : {&member.size, &member.packed_size, &member.offset}) {
    if (*number != kInZip64) continue;
    if (wide.size() < 8) return Damaged("a size is missing in its directory");
    *number = NumberAt(wide, 0, 8);
    wide.remove_prefix(8);
  }
  return member;
}

// The offset of the end record: the last one at which the record and its comment fit.
std::optional<size_t> FindEnd(std::string_view bytes) {
  constexpr size_t kLongestComment = 0xffff;
  const size_t first = bytes.size() - std::min(bytes.size(), kEndSize + kLongestComment);
  for (std::string_view rest = bytes.substr(first); rest.size() >= kEndSize; rest.remove_suffix(1)) {
    const size_t at = first + rest.size() - kEndSize;
    const size_t comment = bytes.size() - at - kEndSize;
    if (bytes.substr(at).starts_with("PK\5\6") && comment >= NumberAt(bytes, at + 20, 2)) return at;
  }
  return std::nullopt;
}

// The offset and size of the directory, and the start of the archive, from which its offsets count.
struct Directory {
  uint64_t at, size, start;
};

std::optional<Directory> FindDirectory(std::string_view bytes) {
  const std::optional<size_t> end = FindEnd(bytes);
  if (!end) return std::nullopt;
  uint64_t after = *end, size = NumberAt(bytes, *end + 12, 4), offset = NumberAt(bytes, *end + 16, 4);
  constexpr size_t kBoth = kLocatorSize + kZip64EndSize;
  if (*end >= kBoth && bytes.substr(*end - kLocatorSize, 4) == "PK\6\7" && bytes.substr(*end - kBoth, 4) == "PK\6\6") {
    after = *end - kBoth;
    size = NumberAt(bytes, after + 40, 8);
    offset = NumberAt(bytes, after + 48, 8);
  }
  if (size > after || offset > after - size) return std::nullopt;
  return Directory{after - size, size, after - size - offset};
}

// Inflates at most as many bytes as `bytes` has room for. Returns fewer if there are no more, or if they are damaged.
uint64_t Inflate(std::string_view packed, std::string& bytes) {
  constexpr size_t kMostAtOnce = std::numeric_limits<uInt>::max();
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 0;
  uint64_t used = 0, read = 0;
  int answer = Z_OK;
  while (used < bytes.size() && answer == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + read));
    stream.avail_in = static_cast<uInt>(std::min(kMostAtOnce, packed.size() - read));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + used);
    stream.avail_out = static_cast<uInt>(std::min(kMostAtOnce, bytes.size() - used));
    answer = inflate(&stream, Z_NO_FLUSH);
    read = static_cast<uint64_t>(reinterpret_cast<const char*>(stream.next_in) - packed.data());
    used = static_cast<uint64_t>(reinterpret_cast<const char*>(stream.next_out) - bytes.data());
  }
  inflateEnd(&stream);
  return used;
}

uint64_t Checksum(std::string_view bytes) {
  return crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

Status WrongChecksum() {
  return InvalidArgument("is damaged: its checksum is wrong");
}

// The packed bytes of a member. They follow its own header, which repeats the name and has its own extra fields.
Result<std::string_view> PackedBytes(std::string_view archive, const ZipMember& member, std::string_view name) {
  const auto is_header = [&](std::string_view header) {
    return header.size() >= kLocalSize && header.starts_with("PK\3\4") && NumberAt(header, 26, 2) == name.size() &&
           header.substr(kLocalSize, name.size()) == name;
  };
  const std::string_view header = archive.substr(std::min<uint64_t>(member.offset, archive.size()));
  if (!is_header(header)) return Damaged("a member is not where its directory says");
  const uint64_t data = kLocalSize + name.size() + NumberAt(header, 28, 2);
  if (data > header.size() || member.packed_size > header.size() - data) return Damaged("a member is cut short");
  return header.substr(data, member.packed_size);
}

}  // namespace

Result<ZipReader> ZipReader::Open(std::string_view bytes) {
  if (bytes.starts_with("PK\5\6")) return InvalidArgument("is an empty zip archive");
  const std::optional<Directory> directory = FindDirectory(bytes);
  if (!directory) {
    return bytes.starts_with("PK") ? Damaged("it has no directory at its end; it may be cut short")
                                   : InvalidArgument("is not a zip archive");
  }
  ZipReader zip(bytes, directory->start);
  if (Status status = zip.List(bytes.substr(directory->at, directory->size)); !status.ok()) return status;
  return zip;
}

Status ZipReader::List(std::string_view directory) {
  while (!directory.empty()) {
    if (directory.size() < kRecordSize || !directory.starts_with("PK\1\2")) {
      return Damaged(fmt::format("its member {} cannot be read", names_.size()));
    }
    const uint64_t name = NumberAt(directory, 28, 2);
    const uint64_t size = kRecordSize + name + NumberAt(directory, 30, 2) + NumberAt(directory, 32, 2);
    if (size > directory.size()) return Damaged("its directory ends too early");
    names_.push_back(directory.substr(kRecordSize, name));
    records_.push_back(directory.substr(0, size));
    directory.remove_prefix(size);
  }
  return OkStatus();
}

Result<uint64_t> ZipReader::Size(size_t i) const {
  const Result<ZipMember> member = MemberOf(records_[i]);
  if (!member.ok()) return member.status();
  if ((member->flags & kEncrypted) != 0) return Unimplemented("is encrypted; save it without a password");
  if (member->method != 0 && member->method != Z_DEFLATED) {
    return Unimplemented(
        fmt::format("is packed by method {}; opsrun reads what is stored or deflated", member->method));
  }
  const bool believable =
      member->packed_size <= bytes_.size() &&
      (member->method == 0 ? member->packed_size == member->size : member->size / kMostDeflated <= member->packed_size);
  if (believable) return uint64_t{member->size};
  return InvalidArgument(
      fmt::format("claims to hold {} bytes, which is impossible with its {} bytes", member->size, member->packed_size));
}

Result<std::string> ZipReader::Read(size_t i, uint64_t count) const {
  const Result<uint64_t> size = Size(i);
  if (!size.ok()) return size.status();
  const Result<ZipMember> member = MemberOf(records_[i]);
  const Result<std::string_view> packed = PackedBytes(bytes_.substr(start_), *member, names_[i]);
  if (!packed.ok()) return packed.status();
  if (member->method == 0 && count < *size) return std::string(packed->substr(0, count));
  std::string bytes = member->method == 0 ? std::string(*packed) : std::string(std::min(count, *size), '\0');
  if (member->method != 0 && Inflate(*packed, bytes) < bytes.size()) {
    return InvalidArgument("is damaged: it cannot be unpacked");
  }
  if (bytes.size() == *size && Checksum(bytes) != member->checksum) return WrongChecksum();
  return bytes;
}

Result<std::optional<std::string_view>> ZipReader::Stored(size_t i, bool verify) const {
  const Result<uint64_t> size = Size(i);
  if (!size.ok()) return size.status();
  const Result<ZipMember> member = MemberOf(records_[i]);
  if (member->method != 0) return std::optional<std::string_view>();
  const Result<std::string_view> packed = PackedBytes(bytes_.substr(start_), *member, names_[i]);
  if (!packed.ok()) return packed.status();
  if (verify && Checksum(*packed) != member->checksum) return WrongChecksum();
  return std::optional(*packed);
}

// Writing, with minizip, which calls the functions below.

namespace {

constexpr uint64_t kPiece = uint64_t{1} << 28;  // minizip counts the bytes of a call in 32 bits
constexpr uLong kFirstDosDate = 0x00210000;     // 1980-01-01 00:00

// An extra field of a member's own header that moves its bytes to a multiple of 64, of the kind that Android's zipalign
// writes: its number, its size, the alignment, and zeros. minizip adds the field of zip64.
std::string Padding(uint64_t header, const std::string& name) {
  constexpr uint64_t kAlignment = 64, kZip64Field = 20, kLeast = 6;
  const uint64_t data = header + kLocalSize + name.size() + kZip64Field + kLeast;
  const uint64_t zeros = (kAlignment - data % kAlignment) % kAlignment;
  std::string field = {'\x35', '\xd9', static_cast<char>(2 + zeros), 0, static_cast<char>(kAlignment), 0};
  return field.append(zeros, '\0');
}

uint64_t SeekTarget(uint64_t at, uint64_t end, uint64_t offset, int origin) {
  return offset + (origin == ZLIB_FILEFUNC_SEEK_CUR ? at : origin == ZLIB_FILEFUNC_SEEK_END ? end : 0);
}

// The archive being written: a file in which sizes are filled in afterwards.
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
int Nothing(voidpf, voidpf) {
  return 0;
}

}  // namespace

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
  const std::string padding = Padding(impl_->sink.end, name);
  return impl_->Check(zipOpenNewFileInZip2_64(impl_->zip, name.c_str(), &info, padding.data(),
                                              static_cast<uInt>(padding.size()), nullptr, 0, nullptr,
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
