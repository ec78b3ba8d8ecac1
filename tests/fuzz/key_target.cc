// tests/fuzz/key_target.cc: keys and signatures of minisign.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/minisign.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

namespace keys {

constexpr char kText[] = "a text that is signed";

template <typename T>
void RequireReason(const Result<T>& read) {
  Require(read.ok() || (!read.status().message().empty() && read.status().message().size() < 200), "a reason is short");
}

// What is accepted is written in the same way, and changes nothing.
void Eat(std::string_view bytes) {
  const Result<PublicKey> open = ParsePublicKey(bytes);
  RequireReason(open);
  if (open.ok()) {
    const Result<PublicKey> again = ParsePublicKey(PublicKeyText(*open));
    Require(again.ok() && *again == *open, "a key that was read can be written and read");
  }
  const Result<FileSignature> signature = ParseSignature(bytes);
  RequireReason(signature);
  if (signature.ok()) {
    const std::string text = SignatureText(*signature, "c");
    const Result<FileSignature> again = ParseSignature(text);
    Require(again.ok() && SignatureText(*again, "c") == text, "a signature that was read can be written and read");
    Require(!Verify(FileBytes(std::string_view(kText)), *signature, PublicKey{signature->key, {}}).ok(),
            "nobody has this key");
  }
  const Result<SealedKey> sealed = ParseSecretKey(bytes);
  RequireReason(sealed);
  if (!sealed.ok()) return;
  const Result<SealedKey> again = ParseSecretKey(SecretKeyText(*sealed));
  Require(again.ok() && SecretKeyText(*again) == SecretKeyText(*sealed), "a secret key that was read can be written");
  if (!sealed->encrypted) RequireReason(OpenKey(*sealed, ""));
}

std::vector<std::string> Seeds() {
  SealedKey sealed;
  FileSignature signature{.key = 7, .trusted_comment = "timestamp:1\tfile:x.so"};
  std::vector<std::string> seeds = {PublicKeyText({.id = 5}), PublicKeyLine({.id = 5}), SecretKeyText(sealed),
                                    SignatureText(signature, "by nobody")};
  sealed.encrypted = true;
  seeds.push_back(SecretKeyText(sealed));
  const Result<SecretKey> key = MakeKey();
  if (!key.ok()) return seeds;  // without libsodium
  if (const Result<FileSignature> made = Sign(FileBytes(std::string_view(kText)), *key, "c"); made.ok())
    seeds.push_back(SignatureText(*made, "by a key that is forgotten"));
  if (const Result<SealedKey> made = SealKey(*key, ""); made.ok()) seeds.push_back(SecretKeyText(*made));
  return seeds;
}

std::vector<std::string> Words() {
  return SplitWords("untrusted comment: ;trusted comment: ;\n;\r\n;RWQ;RUR;RWR;AAAA;==;=;RWRTY0Iy;RWQAAEIy");
}

}  // namespace keys
}  // namespace

const Target kKey = {"key", keys::Eat, keys::Seeds, keys::Words};

}  // namespace opsrun::fuzz
