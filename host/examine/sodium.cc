// host/examine/sodium.cc: the only file that uses libsodium.
// SPDX-License-Identifier: Apache-2.0
#if defined(OPSRUN_SODIUM)
#include <sodium.h>
#endif
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "host/base/display_text.h"
#include "host/examine/minisign.h"

namespace opsrun::host {

#if defined(OPSRUN_SODIUM)

namespace {

using Hash = std::array<unsigned char, 64>;

constexpr size_t kBlock = size_t{1} << 16;
constexpr size_t kId = sizeof(uint64_t), kChecksumAt = kId + 64;

Status Begin() {
  return sodium_init() >= 0 ? OkStatus() : Internal("libsodium cannot be used on this machine");
}

Result<Hash> HashFile(const FileBytes& file) {
  Hash hash = {};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, hash.size());
  std::vector<char> block(kBlock);
  for (uint64_t at = 0; at < file.size();) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(block.size(), file.size() - at));
    if (!file.Read(at, size, block.data()))
      return Status(OPSRUN_UNKNOWN,
                    file.error() == 0 ? "it became shorter while it was read" : ErrnoText(file.error()));
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(block.data()), size);
    at += size;
  }
  crypto_generichash_final(&state, hash.data(), hash.size());
  return hash;
}

std::string CommentMessage(const FileSignature& signature) {
  return std::string(signature.of_file.begin(), signature.of_file.end()) + signature.trusted_comment;
}

const unsigned char* Unsigned(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Of the algorithm, the id and the key.
std::array<unsigned char, 32> Checksum(const std::array<unsigned char, 104>& opened) {
  std::array<unsigned char, 32> sum = {};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, sum.size());
  crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>("Ed"), 2);
  crypto_generichash_update(&state, opened.data(), kChecksumAt);
  crypto_generichash_final(&state, sum.data(), sum.size());
  return sum;
}

// True if the public half is that of the seed.
bool BelongTogether(const SecretKey& key) {
  SecretKey made;
  PublicKey open;
  crypto_sign_seed_keypair(open.point.data(), made.bytes.data(), key.bytes.data());
  return made.bytes == key.bytes;
}

// Encrypts or decrypts.
Status ApplyPassword(SealedKey* key, std::string_view password) {
  if (!key->encrypted) return OkStatus();
  std::array<unsigned char, 104> stream = {};
  if (crypto_pwhash_scryptsalsa208sha256(stream.data(), stream.size(), password.data(), password.size(),
                                         key->salt.data(), key->operations, static_cast<size_t>(key->memory)) != 0)
    return ResourceExhausted(
        fmt::format("no memory for its encryption, which needs {}", BytesText(static_cast<double>(key->memory))));
  for (size_t i = 0; i < stream.size(); ++i) key->sealed[i] ^= stream[i];
  sodium_memzero(stream.data(), stream.size());
  return OkStatus();
}

}  // namespace

SecretKey::~SecretKey() {
  sodium_memzero(bytes.data(), bytes.size());
}

Result<SecretKey> MakeKey() {
  if (Status status = Begin(); !status.ok()) return status;
  SecretKey key;
  PublicKey pair;
  randombytes_buf(&key.id, sizeof(key.id));
  crypto_sign_keypair(pair.point.data(), key.bytes.data());
  return key;
}

Result<SealedKey> SealKey(const SecretKey& key, std::string_view password) {
  if (Status status = Begin(); !status.ok()) return status;
  SealedKey sealed;
  std::memcpy(sealed.sealed.data(), &key.id, kId);
  std::copy(key.bytes.begin(), key.bytes.end(), sealed.sealed.begin() + kId);
  sealed.encrypted = !password.empty();
  if (!sealed.encrypted) return sealed;  // without a checksum, as minisign writes it
  const auto sum = Checksum(sealed.sealed);
  std::copy(sum.begin(), sum.end(), sealed.sealed.begin() + kChecksumAt);
  sealed.operations = crypto_pwhash_scryptsalsa208sha256_OPSLIMIT_SENSITIVE;
  sealed.memory = crypto_pwhash_scryptsalsa208sha256_MEMLIMIT_SENSITIVE;
  randombytes_buf(sealed.salt.data(), sealed.salt.size());
  if (Status status = ApplyPassword(&sealed, password); !status.ok()) return status;
  return sealed;
}

Result<SecretKey> OpenKey(const SealedKey& sealed, std::string_view password) {
  if (Status status = Begin(); !status.ok()) return status;
  SealedKey opened = sealed;
  if (Status status = ApplyPassword(&opened, password); !status.ok()) return status;
  SecretKey key;
  std::memcpy(&key.id, opened.sealed.data(), kId);
  std::copy_n(opened.sealed.begin() + kId, key.bytes.size(), key.bytes.begin());
  const auto sum = Checksum(opened.sealed);
  const bool good = sealed.encrypted ? sodium_memcmp(sum.data(), opened.sealed.data() + kChecksumAt, sum.size()) == 0
                                     : BelongTogether(key);
  sodium_memzero(opened.sealed.data(), opened.sealed.size());
  if (good) return key;
  return InvalidArgument(sealed.encrypted ? "the password is wrong, or the key is damaged" : "the key is damaged");
}

Result<FileSignature> Sign(const FileBytes& file, const SecretKey& key, const std::string& trusted_comment) {
  if (Status status = Begin(); !status.ok()) return status;
  const Result<Hash> hash = HashFile(file);
  if (!hash.ok()) return hash.status();
  FileSignature signature{.key = key.id, .trusted_comment = trusted_comment};
  crypto_sign_detached(signature.of_file.data(), nullptr, hash->data(), hash->size(), key.bytes.data());
  const std::string message = CommentMessage(signature);
  crypto_sign_detached(signature.of_comment.data(), nullptr, Unsigned(message), message.size(), key.bytes.data());
  return signature;
}

Status Verify(const FileBytes& file, const FileSignature& signature, const PublicKey& key) {
  if (Status status = Begin(); !status.ok()) return status;
  const Result<Hash> hash = HashFile(file);
  if (!hash.ok()) return hash.status();
  if (crypto_sign_verify_detached(signature.of_file.data(), hash->data(), hash->size(), key.point.data()) != 0)
    return InvalidArgument("it is not what the key has signed", "file");
  const std::string message = CommentMessage(signature);
  if (crypto_sign_verify_detached(signature.of_comment.data(), Unsigned(message), message.size(), key.point.data()) !=
      0)
    return InvalidArgument("the trusted comment is not what the key has signed", "comment");
  return OkStatus();
}

#else

namespace {

Status Missing() {
  return Unimplemented("this opsrun was built without libsodium, which checks and makes signatures");
}

}  // namespace

SecretKey::~SecretKey() = default;
Result<SecretKey> MakeKey() {
  return Missing();
}
Result<SealedKey> SealKey(const SecretKey&, std::string_view) {
  return Missing();
}
Result<SecretKey> OpenKey(const SealedKey&, std::string_view) {
  return Missing();
}
Result<FileSignature> Sign(const FileBytes&, const SecretKey&, const std::string&) {
  return Missing();
}
Status Verify(const FileBytes&, const FileSignature&, const PublicKey&) {
  return Missing();
}

#endif

}  // namespace opsrun::host
