// tests/fuzz/array_targets.cc: array files.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "host/tensor/npy.h"
#include "host/tensor/tensor.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

// Parses a .npy file; the tensor is written, printed and parsed again.
namespace npy {

std::string Written(const Tensor& tensor) {
  std::string written;
  const Status status = WriteNpyTo(tensor, "it", [&written](const void* bytes, size_t count) {
    written.append(static_cast<const char*>(bytes), count);
    return OkStatus();
  });
  Require(status.ok(), "what was read can be written");
  return written;
}

void CheckRoundTrip(const Tensor& tensor) {
  const Result<Tensor> again = ParseNpy(Written(tensor), "again", tensor.dtype());
  Require(again.ok(), "what is written can be read");
  Require(again->dtype() == tensor.dtype() && again->shape() == tensor.shape(), "it has its type and shape");
  Require(Written(*again) == Written(tensor), "and its bytes");
}

void Eat(std::string_view bytes) {
  for (const std::optional<DType> as :
       {std::optional<DType>(), std::optional(DType::kBFloat16), std::optional(DType::kFloat8E5M2)}) {
    const Result<Tensor> tensor = ParseNpy(std::string(bytes), "file.npy", as);
    Require(tensor.ok() || !tensor.status().message().empty(), "a refusal has a reason");
    if (!tensor.ok()) continue;
    CheckRoundTrip(*tensor);
    PrintTensor(*tensor);
  }
}

// A file with the given header, of version 1 to 3.
std::string File(int version, std::string header, size_t data_bytes) {
  std::string bytes = "\x93NUMPY";
  bytes += {static_cast<char>(version), '\0', static_cast<char>(header.size() & 0xFF),
            static_cast<char>(header.size() >> 8)};
  if (version > 1) bytes += {'\0', '\0'};
  bytes += header;
  for (size_t i = 0; i < data_bytes; ++i) bytes += static_cast<char>(i * 37);
  return bytes;
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const char* descr :
       {"|b1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16", "|V2", "|u1", "|V1", "<f1"}) {
    const std::string dict = std::string("{'descr': '") + descr + "', 'fortran_order': True, 'shape': (2, 3), }\n";
    const size_t size = descr[2] == '1' && descr[3] == '6' ? 16 : static_cast<size_t>(descr[2] - '0');
    for (int version : {1, 2, 3}) seeds.push_back(File(version, dict, 6 * size));
  }
  seeds.push_back(File(1, "{'shape': (4L,), 'fortran_order': False, \"descr\": '|i1'}", 4));
  seeds.push_back(File(1, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", 8));
  seeds.push_back(File(1, "{'descr': '|S3', 'fortran_order': True, 'shape': (2, 2)}", 12));
  seeds.push_back(File(1, "{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}", 0) +
                  std::string("a\0\0\0\xe9\0\0\0", 8));
  seeds.push_back(File(1, "{'descr': 'S', 'fortran_order': False, 'shape': (3,)}", 0));
  seeds.push_back(File(1, "{u'descr': 'complex64',\r 'fortran_order': False, 'shape': (2,)}", 16));
  seeds.push_back(File(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 9223372036854775807)}", 0));
  return seeds;
}

std::vector<std::string> Words() {
  return SplitWords(
      "'descr': ;'fortran_order': ;'shape': ;True;False;(4294967296, 4294967296);-1;9223372036854775807;'|O';"
      "'<U8';'|S2';[('a', '<i4')];1, 1, 1, 1, 1, 1, 1, 1, ;0, ;'>c16';'float32';'S';u'U0';'=?';'datetime64[ns]';"
      "('<f4', (2,))");
}

}  // namespace npy

// Parses a .npz file, and reads each array by its key.
namespace npz {

void EatKey(const std::string& bytes, const std::string& key) {
  const Result<Tensor> tensor = ParseNpz(bytes, "file.npz", key);
  Require(tensor.ok() || !tensor.status().message().empty(), "a refusal has a reason");
}

void Eat(std::string_view bytes) {
  constexpr size_t kMost = 20;  // arrays per archive
  const std::string file(bytes);
  EatKey(file, "x");
  const Result<ZipReader> zip = ZipReader::Open(file);
  if (!zip.ok()) return;
  for (size_t i = 0; i < zip->names().size() && i < kMost; ++i) EatKey(file, std::string(zip->names()[i]));
}

std::vector<std::string> Words() {
  return {"PK\1\2",   "PK\3\4",           "PK\5\6", "PK\6\6", "PK\6\7", std::string("\1\0\x10\0", 4),
          "PK\7\x08", "\xff\xff\xff\xff", "x.npy"};
}

}  // namespace npz

}  // namespace

const Target kNpy = {"npy", npy::Eat, npy::Seeds, npy::Words};
const Target kNpz = {"npz", npz::Eat, nullptr, npz::Words};

}  // namespace opsrun::fuzz
