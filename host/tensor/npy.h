// host/tensor/npy.h: NumPy's .npy files, and .npz files: zip archives with one .npy file for each key.
//
// Reads versions 1 to 3 of the format (NEP 1), C and Fortran order, both byte orders; the result is dense, row-major
// and native. Rejects, with a message, object arrays, structured types, sizes that do not match the file, and data
// types that opsrun does not support. np.load reads what is written here.
//
// Files are untrusted: everything in a header is checked against the size of the file before it is used. Data types are
// spelled "<f4", "|b1", ">c16"; the string types are 'S' (bytes) and 'U' (characters of four bytes). Both have one
// width for all elements and drop trailing NULs, so a string that ends in NUL cannot be written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"
#include "host/base/file.h"
#include "host/base/status.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

class MappedFiles;

// The header of a .npy file: magic, version and a Python dict with data type, order and shape.

// How a file stores strings.
struct NpyStrings {
  bool characters = false;  // 'U'
  size_t width = 0;         // bytes or characters of an element

  size_t bytes() const { return characters ? 4 * width : width; }
};

struct NpyDType {
  DType dtype = DType::kInvalid;
  bool swapped = false;  // not in the byte order of this machine
  NpyStrings strings;
};

// `as` determines the meaning of "|V1" and "|V2" (one or two opaque bytes), and which integers are quantized.
// UNIMPLEMENTED, with a reason, for types that opsrun does not support.
Result<NpyDType> NpyDTypeFromDescr(std::string_view descr, std::optional<DType> as);

// Quantized types are written as their integers, bfloat16 as "|V2", float8 types as "|V1". Requires: DTypeSize(dtype)
// != 0.
std::string NpyDescr(DType dtype);
std::string NpyDescr(const NpyStrings& strings);  // "<U5", "|S5"

// The string of the element at `from`. swapped: its characters are in the other byte order. INVALID_ARGUMENT for an
// invalid character.
Result<std::string> NpyStringFrom(const NpyStrings& form, const char* from, bool swapped);

// How to write the tensor: 'U' if all strings are UTF-8, else 'S'. INVALID_ARGUMENT for a string that NumPy would
// change.
Result<NpyStrings> NpyFormOf(const Tensor& strings);

// Appends the element to *to. Requires: `form` is the result of NpyFormOf for its tensor.
void AppendNpyString(const NpyStrings& form, std::string_view text, std::string* to);

struct NpyHeader : NpyDType {
  bool fortran_order = false;
  Shape shape;             // at most OPSRUN_MAX_RANK sizes, none negative
  size_t data_offset = 0;  // at most the file's size

  size_t element_bytes() const { return dtype == DType::kString ? strings.bytes() : DTypeSize(dtype); }
};

// Parses the header at the start of `file`. `as` determines the meaning of "|V2". INVALID_ARGUMENT for a malformed
// header, UNIMPLEMENTED for a data type that opsrun does not support; messages begin with a verb, so that the name of
// the file can precede them.
Result<NpyHeader> ParseNpyHeader(std::string_view file, std::optional<DType> as);

// Prepends `name` to the message.
Status Named(const std::string& name, const Status& status);

// The whole header, including the magic bytes, for dense row-major data that follows at a multiple of 64 bytes.
std::string NpyHeaderText(const std::string& descr, const Shape& shape);

// Arrays.

// Reads `path`, or maps it, if there are mapped files. NumPy has no bfloat16 and no float8: opaque elements of two
// bytes ("|V2") are read as bfloat16, and those of one byte ("|V1") as a float8 type, only if `as` requests it.
Result<Tensor> ReadNpy(const std::string& path, std::optional<DType> as = std::nullopt, MappedFiles* mapped = nullptr);

// Parses the bytes of a .npy file; `name` is for messages.
Result<Tensor> ParseNpy(std::string_view bytes, const std::string& name, std::optional<DType> as = std::nullopt);

// Writes a temporary file; Commit of the result renames it to `path`, so that several files can appear together. Until
// then, an existing file is unchanged. bfloat16 is written as "|V2", float8 types as "|V1", quantized types as their
// integers. flush: see AtomicFile::End; without, it uses
// AtomicFile::CreateNew, too: both are for many files.
Result<AtomicFile> WriteNpyAside(const std::string& path, const Tensor& tensor, bool flush = true);

// Receives the next bytes of a file.
using ByteSink = std::function<Status(const void* bytes, size_t count)>;

// Passes the bytes of a .npy file to `write` in pieces until that fails. INVALID_ARGUMENT, with `path`, for a string
// that NumPy cannot represent.
Status WriteNpyTo(const Tensor& tensor, const std::string& path, const ByteSink& write);

// In files, any nonzero byte is true; in C++, a bool must be 0 or 1. Requires: a tensor of bools that nobody else uses.
void NormalizeBools(Tensor& tensor);

// OK if `found`, the number of bytes after the header, is what the header requires.
Status CheckNpySize(const NpyHeader& header, size_t found);

// True if `elements`, the bytes after the header, are those of a tensor: native, row-major, and aligned for the type.
bool FitsPages(const NpyHeader& header, const void* elements);

// The array `key` of the file. NOT_FOUND, with similar keys or all of them and the subject "key", if it does not exist;
// other errors as ReadNpy. The checksum of an array that is mapped is not verified, since that would read all of it.
Result<Tensor> ReadNpz(const std::string& path, const std::string& key, std::optional<DType> as = std::nullopt,
                       MappedFiles* mapped = nullptr);

// Parses the bytes of a file; `name` is for messages. pages: hold the bytes, and an array for which FitsPages is true
// stays in them; null: arrays are copied.
Result<Tensor> ParseNpz(std::string_view bytes, const std::string& name, const std::string& key,
                        std::optional<DType> as = std::nullopt, const std::shared_ptr<void>& pages = nullptr);

// True for a valid key of a new file: not empty, at most 200 bytes, no '/', '\' or control character, so that no
// program that unpacks the archive writes outside its directory.
bool IsNpzKey(const std::string& text);

struct NpzEntry {
  std::string key;
  Tensor tensor;
};

// Writes a temporary file, as WriteNpyAside does; elements begin at a multiple of 64 bytes, so that they can be mapped.
// Requires: the keys are distinct, and IsNpzKey is true for them.
Result<AtomicFile> WriteNpzAside(const std::string& path, const std::vector<NpzEntry>& entries, bool flush = true);

// Zip archives in memory, member by member. Only their source uses zlib and minizip.
class ZipReader {
 public:
  // INVALID_ARGUMENT if the bytes, which must outlive the reader, are not a complete archive. Time and memory depend
  // only on the number of members.
  static Result<ZipReader> Open(std::string_view bytes);

  // Views into the archive's bytes.
  const std::vector<std::string_view>& names() const { return names_; }

  // The size that the directory states for member i. INVALID_ARGUMENT if the member has too few bytes for it;
  // UNIMPLEMENTED if it is encrypted or compressed by a method other than deflate.
  Result<uint64_t> Size(size_t i) const;
  // The first `count` bytes of member i. If it has no more, its checksum is verified.
  Result<std::string> Read(size_t i, uint64_t count) const;
  // The bytes of member i in the archive; nothing if they are compressed. Errors as Read.
  Result<std::optional<std::string_view>> Stored(size_t i, bool verify) const;

 private:
  ZipReader(std::string_view bytes, uint64_t start) : bytes_(bytes), start_(start) {}
  Status List(std::string_view directory);

  std::string_view bytes_;
  uint64_t start_;  // offset of the archive in the bytes; offsets in the archive count from it
  std::vector<std::string_view> names_;
  std::vector<std::string_view> records_;  // the directory, from the record of each member on
};

// Members are stored uncompressed and without a time, so equal content makes equal files. Their bytes begin at a
// multiple of 64. Any size is supported (zip64).
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file);  // file must outlive it
  ZipWriter(const ZipWriter&) = delete;
  ~ZipWriter();

  Status Begin(const std::string& name);
  Status Write(const void* data, size_t size);
  Status End();
  Status Finish();  // call once, last; writes the directory

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opsrun::host
