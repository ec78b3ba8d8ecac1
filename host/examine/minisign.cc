// host/examine/minisign.cc: the texts of minisign's files. Source: minisign's description of its formats.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/minisign.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "host/base/text.h"
#include "host/examine/plugin_note.h"

namespace opsrun::host {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers in these files are little-endian");

constexpr std::string_view kAlgorithm = "Ed", kHashed = "ED", kScrypt = "Sc", kPlain = std::string_view("\0\0", 2),
                           kChecksum = "B2";
constexpr std::string_view kUntrusted = "untrusted comment: ", kTrusted = "trusted comment: ";
constexpr size_t kMostComment = 8192;
constexpr uint64_t kMostMemory = uint64_t{1} << 30;  // what minisign uses
constexpr uint64_t kMostOperations = uint64_t{1} << 25;

std::string_view TakeLine(std::string_view* text) {
  std::string_view line = TakePart(text, "\n");
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Bytes that are read from the front and written to the end.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string bytes) : bytes_(std::move(bytes)) {}

  // Requires: that many bytes are left.
  template <typename T>
  void Take(T* to) {
    std::memcpy(to, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
  }
  bool TakeWord(std::string_view word) {
    const bool same = std::string_view(bytes_).substr(at_, word.size()) == word;
    at_ += word.size();
    return same;
  }

  template <typename T>
  Packed& Put(const T& from) {
    bytes_.append(reinterpret_cast<const char*>(&from), sizeof(T));
    return *this;
  }
  Packed& PutWord(std::string_view word) {
    bytes_.append(word);
    return *this;
  }
  std::string Line() const { return EncodeBase64(bytes_); }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

Result<Packed> Unpack(int line, std::string_view text, size_t size) {
  if (text.size() > 4 * size) return InvalidArgument(fmt::format("line {} is too long", line));
  Result<std::string> bytes = DecodeBase64(text);
  if (!bytes.ok()) return InvalidArgument(fmt::format("line {} is not Base64", line));
  if (bytes->size() != size)
    return InvalidArgument(fmt::format("line {} has {} bytes in Base64, not {}", line, bytes->size(), size));
  return Packed(*std::move(bytes));
}

Status SkipUntrusted(std::string_view* text) {
  return TakeLine(text).starts_with(kUntrusted)
             ? OkStatus()
             : InvalidArgument(fmt::format("line 1 does not begin with '{}'", kUntrusted));
}

}  // namespace

std::string KeyIdText(uint64_t id) {
  return fmt::format("{:016X}", id);
}

PublicKey SecretKey::Public() const {
  PublicKey key{id, {}};
  std::copy(bytes.end() - key.point.size(), bytes.end(), key.point.begin());
  return key;
}

Result<PublicKey> ParsePublicKey(std::string_view text) {
  int line = 1;
  if (text.starts_with(kUntrusted)) {
    TakeLine(&text);
    line = 2;
  }
  PublicKey key;
  Result<Packed> packed = Unpack(line, TakeLine(&text), kAlgorithm.size() + sizeof(key.id) + sizeof(key.point));
  if (!packed.ok()) return packed.status();
  if (!packed->TakeWord(kAlgorithm)) return InvalidArgument(fmt::format("line {} is not a key for Ed25519", line));
  packed->Take(&key.id);
  packed->Take(&key.point);
  return key;
}

std::string PublicKeyLine(const PublicKey& key) {
  return Packed().PutWord(kAlgorithm).Put(key.id).Put(key.point).Line();
}

std::string PublicKeyText(const PublicKey& key) {
  return fmt::format("{}minisign public key {}\n{}\n", kUntrusted, KeyIdText(key.id), PublicKeyLine(key));
}

Result<SealedKey> ParseSecretKey(std::string_view text) {
  if (Status status = SkipUntrusted(&text); !status.ok()) return status;
  SealedKey key;
  constexpr size_t kSize = 6 + sizeof(key.salt) + sizeof(key.operations) + sizeof(key.memory) + sizeof(key.sealed);
  Result<Packed> packed = Unpack(2, TakeLine(&text), kSize);
  if (!packed.ok()) return packed.status();
  if (!packed->TakeWord(kAlgorithm)) return InvalidArgument("line 2 is not a key for Ed25519");
  std::array<char, 2> derivation = {};
  packed->Take(&derivation);
  const std::string_view how(derivation.data(), derivation.size());
  if (how != kScrypt && how != kPlain) return InvalidArgument("its encryption is unknown");
  key.encrypted = how == kScrypt;
  if (!packed->TakeWord(kChecksum)) return InvalidArgument("its checksum is of an unknown kind");
  packed->Take(&key.salt);
  packed->Take(&key.operations);
  packed->Take(&key.memory);
  packed->Take(&key.sealed);
  if (key.encrypted && (key.operations > kMostOperations || key.memory > kMostMemory))
    return InvalidArgument("its encryption needs more than 1 GiB of memory or takes minutes");
  return key;
}

std::string SecretKeyText(const SealedKey& key) {
  Packed packed;
  packed.PutWord(kAlgorithm).PutWord(key.encrypted ? kScrypt : kPlain).PutWord(kChecksum);
  packed.Put(key.salt).Put(key.operations).Put(key.memory).Put(key.sealed);
  return fmt::format("{}minisign {}secret key\n{}\n", kUntrusted, key.encrypted ? "encrypted " : "", packed.Line());
}

Result<FileSignature> ParseSignature(std::string_view text) {
  if (Status status = SkipUntrusted(&text); !status.ok()) return status;
  FileSignature signature;
  constexpr size_t kSize = kHashed.size() + sizeof(signature.key) + sizeof(signature.of_file);
  Result<Packed> packed = Unpack(2, TakeLine(&text), kSize);
  if (!packed.ok()) return packed.status();
  if (!packed->TakeWord(kHashed))
    return InvalidArgument("line 2 is not a signature of the hash of a file, as minisign makes it since version 0.10");
  packed->Take(&signature.key);
  packed->Take(&signature.of_file);
  const std::string_view comment = TakeLine(&text);
  if (!comment.starts_with(kTrusted) || comment.size() > kMostComment)
    return InvalidArgument(fmt::format("line 3 does not begin with '{}', or is too long", kTrusted));
  signature.trusted_comment = comment.substr(kTrusted.size());
  if (!IsPlainText(signature.trusted_comment)) return InvalidArgument("its trusted comment is not text");
  Result<Packed> global = Unpack(4, TakeLine(&text), sizeof(signature.of_comment));
  if (!global.ok()) return global.status();
  global->Take(&signature.of_comment);
  return signature;
}

std::string SignatureText(const FileSignature& signature, std::string_view untrusted_comment) {
  const std::string line = Packed().PutWord(kHashed).Put(signature.key).Put(signature.of_file).Line();
  return fmt::format("{}{}\n{}\n{}{}\n{}\n", kUntrusted, untrusted_comment, line, kTrusted, signature.trusted_comment,
                     Packed().Put(signature.of_comment).Line());
}

}  // namespace opsrun::host
