// host/examine/minisign.h: keys and signatures in the formats of minisign: Ed25519 of the BLAKE2b-512 hash of a file.
//
// The texts come from untrusted files: every function that reads one returns an error that says what is wrong with it,
// as the end of a sentence: "line 2 is not Base64". What needs libsodium returns UNIMPLEMENTED in a build without it.
// All functions are thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/status.h"
#include "host/examine/elf_file.h"

namespace opsrun::host {

struct PublicKey {
  uint64_t id = 0;
  std::array<unsigned char, 32> point = {};

  bool operator==(const PublicKey&) const = default;
};

// Overwritten when it ends.
struct SecretKey {
  SecretKey() = default;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  PublicKey Public() const;

  uint64_t id = 0;
  std::array<unsigned char, 64> bytes = {};  // the seed, then the public point
};

// A secret key as its file has it: encrypted with a password, or not.
struct SealedKey {
  bool encrypted = false;
  std::array<unsigned char, 32> salt = {};
  uint64_t operations = 0, memory = 0;         // of scrypt
  std::array<unsigned char, 104> sealed = {};  // id, key and checksum
};

struct FileSignature {
  uint64_t key = 0;  // the id of the signer's key
  std::array<unsigned char, 64> of_file = {};
  std::array<unsigned char, 64> of_comment = {};  // of the first one and the trusted comment
  std::string trusted_comment;
};

// The id of a key as minisign prints it: 16 hexadecimal digits.
std::string KeyIdText(uint64_t id);

// A public key: the text of its file, or only the line in Base64.
Result<PublicKey> ParsePublicKey(std::string_view text);
std::string PublicKeyText(const PublicKey& key);
// Only the line in Base64.
std::string PublicKeyLine(const PublicKey& key);

Result<SealedKey> ParseSecretKey(std::string_view text);
std::string SecretKeyText(const SealedKey& key);

Result<FileSignature> ParseSignature(std::string_view text);
// untrusted_comment: one line.
std::string SignatureText(const FileSignature& signature, std::string_view untrusted_comment);

// What libsodium does.

// A random key.
Result<SecretKey> MakeKey();
// password: empty for a key that is not encrypted. Takes about a second with a password.
Result<SealedKey> SealKey(const SecretKey& key, std::string_view password);
// INVALID_ARGUMENT: a wrong password, or a damaged key. RESOURCE_EXHAUSTED: no memory for scrypt.
Result<SecretKey> OpenKey(const SealedKey& sealed, std::string_view password);

// Signs the bytes of a file. trusted_comment: one line.
Result<FileSignature> Sign(const FileBytes& file, const SecretKey& key, const std::string& trusted_comment);

// OK if `key` has signed these bytes and the trusted comment. INVALID_ARGUMENT: it has not; subject "file" or
// "comment". UNKNOWN: the file cannot be read.
Status Verify(const FileBytes& file, const FileSignature& signature, const PublicKey& key);

}  // namespace opsrun::host
