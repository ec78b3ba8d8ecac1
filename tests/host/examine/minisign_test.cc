// tests/host/examine/minisign_test.cc: keys, signatures, and whose signature a file needs.
// tests/bad_plugins/signature_test.py has the same with minisign itself.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/minisign.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/examine/signature.h"
#include "tests/host/examine/temp_dir.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kSigned = "the bytes of a plugin";

template <typename T>
std::string Reason(const Result<T>& result) {
  return result.ok() ? "" : result.status().message();
}

class MinisignTest : public InFolder {
 protected:
  void SetUp() override {
    Result<SecretKey> key = MakeKey();
    if (!key.ok()) GTEST_SKIP() << key.status().message();
    key_ = *key;
  }

  FileSignature Signed(std::string_view bytes = kSigned, const std::string& comment = "for a test") const {
    const Result<FileSignature> signature = Sign(FileBytes(bytes), key_, comment);
    EXPECT_TRUE(signature.ok());
    return *signature;
  }
  // What JudgeSignature says of a file with these bytes: state, reason.
  Finding Judge(const std::vector<PublicKey>& keys, std::string_view bytes = kSigned) const {
    return JudgeSignature(FileBytes(bytes), Path("x.so"), keys);
  }

  SecretKey key_;
};

TEST_F(MinisignTest, ASignedFileIsAccepted) {
  EXPECT_TRUE(Verify(FileBytes(kSigned), Signed(), key_.Public()).ok());
  const std::string large(200'000, 'x');
  EXPECT_TRUE(Verify(FileBytes(large), Signed(large), key_.Public()).ok());
}

TEST_F(MinisignTest, AChangedFileOrCommentIsNot) {
  FileSignature signature = Signed();
  EXPECT_EQ(Verify(FileBytes(std::string_view("other bytes")), signature, key_.Public()).subject(), "file");
  signature.trusted_comment += '.';
  EXPECT_EQ(Verify(FileBytes(kSigned), signature, key_.Public()).subject(), "comment");
  signature = Signed();
  signature.of_comment[0] ^= 1;
  EXPECT_EQ(Verify(FileBytes(kSigned), signature, key_.Public()).subject(), "comment");
  EXPECT_FALSE(Verify(FileBytes(kSigned), Signed(), MakeKey()->Public()).ok());
}

TEST_F(MinisignTest, TextsAreReadAsTheyAreWritten) {
  EXPECT_EQ(*ParsePublicKey(PublicKeyText(key_.Public())), key_.Public());
  EXPECT_EQ(*ParsePublicKey(PublicKeyLine(key_.Public())), key_.Public());
  const std::string text = SignatureText(Signed(), "by a test");
  const Result<FileSignature> signature = ParseSignature(text);
  ASSERT_TRUE(signature.ok());
  EXPECT_EQ(signature->trusted_comment, "for a test");
  EXPECT_TRUE(Verify(FileBytes(kSigned), *signature, key_.Public()).ok());
}

TEST_F(MinisignTest, ASecretKeyWithoutAPasswordIsOpenedUnlessItIsDamaged) {
  SealedKey sealed = *ParseSecretKey(SecretKeyText(*SealKey(key_, "")));
  EXPECT_EQ(OpenKey(sealed, "")->bytes, key_.bytes);
  sealed.sealed[9] ^= 1;
  EXPECT_EQ(Reason(OpenKey(sealed, "")), "the key is damaged");
}

TEST_F(MinisignTest, APasswordOpensItsKeyAlone) {
  Result<SealedKey> sealed = SealKey(key_, "right");
  if (!sealed.ok()) GTEST_SKIP() << sealed.status().message();
  EXPECT_TRUE(sealed->encrypted);
  EXPECT_EQ(OpenKey(*ParseSecretKey(SecretKeyText(*sealed)), "right")->bytes, key_.bytes);
  EXPECT_EQ(Reason(OpenKey(*sealed, "wrong")), "the password is wrong, or the key is damaged");
}

TEST(Minisign, SaysWhatIsWrongWithAText) {
  EXPECT_EQ(Reason(ParsePublicKey("")), "line 1 has 0 bytes in Base64, not 42");
  EXPECT_EQ(Reason(ParsePublicKey("untrusted comment: c\n???")), "line 2 is not Base64");
  EXPECT_EQ(Reason(ParsePublicKey(std::string(56, 'A'))), "line 1 is not a key for Ed25519");
  EXPECT_EQ(Reason(ParsePublicKey(std::string(1000, 'A'))), "line 1 is too long");
  EXPECT_EQ(Reason(ParseSignature("x")), "line 1 does not begin with 'untrusted comment: '");
  EXPECT_EQ(Reason(ParseSignature("untrusted comment: c\n" + std::string(98, 'A') + "==")),
            "line 2 has 73 bytes in Base64, not 74");
  std::string text = SignatureText({}, "c");
  const std::string trusted = text.substr(0, text.find("trusted comment: ", 3));
  EXPECT_EQ(Reason(ParseSignature(trusted)), "line 3 does not begin with 'trusted comment: ', or is too long");
  EXPECT_EQ(Reason(ParseSignature(trusted + "trusted comment: \x1b[2J\n")), "its trusted comment is not text");
  EXPECT_EQ(Reason(ParseSignature(trusted + "trusted comment: c\n")), "line 4 has 0 bytes in Base64, not 64");
  text = SecretKeyText({.encrypted = true, .memory = uint64_t{1} << 40});
  EXPECT_EQ(Reason(ParseSecretKey(text)), "its encryption needs more than 1 GiB of memory or takes minutes");
}

TEST_F(MinisignTest, AFileNeedsTheSignatureOfATrustedKey) {
  const std::vector<PublicKey> keys = {key_.Public()}, others = {MakeKey()->Public()};
  const std::string id = KeyIdText(key_.id), beside = Path("x.so.minisig");
  EXPECT_EQ(Judge({}).text, "");
  EXPECT_EQ(Judge(keys).text, "it is not signed: there is no file " + beside);
  Put("x.so.minisig", SignatureText(Signed(), "c"));
  EXPECT_EQ(Judge(keys).text, "by key " + id + ": for a test");
  EXPECT_EQ(Judge(keys).state, Finding::State::kOk);
  EXPECT_EQ(Judge({}).text, "by key " + id + ", not checked: for a test");
  EXPECT_EQ(Judge(others).state, Finding::State::kRefused);
  EXPECT_EQ(Judge(others).text,
            "it is signed by the key " + id + ", which is not trusted (trusted: " + KeyIdText(others[0].id) + ")");
  EXPECT_EQ(Judge(keys, "other bytes").text, "it is not the file that the key " + id + " signed");
  const std::string text = SignatureText(Signed(), "c");
  Put("x.so.minisig", text.substr(0, text.size() - 60));
  EXPECT_EQ(Judge(keys).state, Finding::State::kRefused);
  Put("x.so.minisig", "words");
  EXPECT_EQ(Judge(keys).text,
            "its signature " + beside + " is damaged: line 1 does not begin with 'untrusted comment: '");
}

TEST_F(MinisignTest, TrustedKeysAreNamedOrInFiles) {
  const std::string line = PublicKeyLine(key_.Public());
  Put("a.pub", PublicKeyText(key_.Public()));
  EXPECT_EQ(*FindTrustedKeys({line}), std::vector<PublicKey>{key_.Public()});
  EXPECT_EQ(FindTrustedKeys({Path("a.pub"), line})->size(), 2u);
  EXPECT_NE(Reason(FindTrustedKeys({Path("absent")})), "");
  Put("keys", "# mine\n\n" + PublicKeyText(key_.Public()) + line + "\n");
  EXPECT_EQ(ReadTrustedKeys({Path("absent"), Path("keys")})->size(), 2u);
  EXPECT_TRUE(ReadTrustedKeys({Path("absent")})->empty());
  Put("keys", line + "\nwords\n");
  EXPECT_EQ(Reason(ReadTrustedKeys({Path("keys")})), "'" + Path("keys") + "', line 2, is not a public key of minisign");
  Put("keys", "# none\n");
  EXPECT_EQ(Reason(ReadTrustedKeys({Path("keys")})), "'" + Path("keys") + "' has no key, so no plugin could be used");
  Put("keys", line);
  chmod(Path("keys").c_str(), 0602);
  EXPECT_EQ(Reason(ReadTrustedKeys({Path("keys")})),
            "the keys in '" + Path("keys") +
                "' are not used: others can write to it: its mode is 0602; run "
                "chmod o-w " +
                Path("keys"));
}

}  // namespace
}  // namespace opsrun::host
