// host/tensor/zip_writer.cc: the only user of minizip, which writes through calls of ours.
//
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/zip_writer.h"

#include <fmt/core.h>
#include <minizip/zip.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace opsrun::host {
namespace {

constexpr uint64_t kPiece = uint64_t{1} << 28;  // minizip counts a call's bytes in 32 bits
constexpr uLong kFirstDosDate = 0x00210000;     // 1980-01-01 00:00

uint64_t SeekTarget(uint64_t at, uint64_t end, uint64_t offset, int origin) {
  return offset + (origin == ZLIB_FILEFUNC_SEEK_CUR ? at : origin == ZLIB_FILEFUNC_SEEK_END ? end : 0);
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
