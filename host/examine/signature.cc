// SPDX-License-Identifier: Apache-2.0
#include "host/examine/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "host/base/environment.h"
#include "host/base/file.h"
#include "host/base/text.h"
#include "host/examine/writers.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr char kCheck[] = "signature";
constexpr char kSystemKeys[] = "/etc/opsrun/trusted_keys";
constexpr size_t kMostBytes = 64 << 10;

Status InFile(const std::string& path, const Status& status) {
  return InvalidArgument(fmt::format("'{}' is not a public key of minisign: {}", path, status.message()));
}

std::string UserKeys() {
  const auto absolute = [](const char* variable) {
    const char* const value = Environment(variable);
    return value != nullptr && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
  };
  fs::path base = absolute("XDG_CONFIG_HOME");
  if (base.empty() && !absolute("HOME").empty()) base = absolute("HOME") / ".config";
  if (base.empty()) return "";
  // HOME may be that of another user, who lets nobody look into it.
  const std::string path = (base / "opsrun/trusted_keys").string();
  struct stat status = {};
  return stat(path.c_str(), &status) != 0 && errno == EACCES ? "" : path;
}

// Whoever can write keys decides whose code runs.
Result<std::string> ReadKeys(const std::string& path) {
  return ReadFile(path, kMostBytes, [&](const Descriptor& file) {
    const std::optional<Refusal> refusal = RefuseOtherWriters(file, path);
    return refusal ? FailedPrecondition(
                         fmt::format("the keys in '{}' are not used: {}; {}", path, refusal->reason, refusal->remedy))
                   : OkStatus();
  });
}

// A key for each line; comments begin with #, or as those of minisign.
Status AddKeys(const std::string& path, std::vector<PublicKey>* keys) {
  const Result<std::string> text = ReadKeys(path);
  if (!text.ok()) return text.status().code() == OPSRUN_NOT_FOUND ? OkStatus() : text.status();
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = TakePart(&rest, "\n");
    while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#') || line.starts_with("untrusted comment:")) continue;
    const Result<PublicKey> key = ParsePublicKey(line);
    if (!key.ok()) return InvalidArgument(fmt::format("'{}', line {}, is not a public key of minisign", path, number));
    keys->push_back(*key);
  }
  if (!keys->empty()) return OkStatus();
  return InvalidArgument(fmt::format("'{}' has no key, so no plugin could be used", path));
}

Result<PublicKey> NamedKey(const std::string& named) {
  if (Result<PublicKey> key = ParsePublicKey(named); key.ok()) return key;
  const Result<std::string> text = ReadKeys(named);
  if (!text.ok()) return text.status();
  Result<PublicKey> key = ParsePublicKey(*text);
  return key.ok() ? key : InFile(named, key.status());
}

std::string IdsText(const std::vector<PublicKey>& keys) {
  std::vector<std::string> ids;
  for (const PublicKey& key : keys) ids.push_back(KeyIdText(key.id));
  return fmt::format("{}", fmt::join(ids, ", "));
}

Finding RefusedSignature(std::string reason, std::string remedy) {
  return RefusedBy(kCheck, {std::move(reason), std::move(remedy)});
}

Finding JudgeBy(const FileBytes& file, const FileSignature& signature, const std::vector<PublicKey>& keys) {
  const std::string id = KeyIdText(signature.key);
  const auto key = std::ranges::find_if(keys, [&](const PublicKey& each) { return each.id == signature.key; });
  if (key == keys.end()) {
    return RefusedSignature(
        fmt::format("it is signed by the key {}, which is not trusted (trusted: {})", id, IdsText(keys)),
        "sign it with a trusted key, or trust this one: add its public key to --require-signature "
        "or to trusted_keys");
  }
  const Status status = Verify(file, signature, *key);
  if (status.ok())
    return {kCheck,
            Finding::State::kOk,
            fmt::format("by key {}: {}", id, signature.trusted_comment),
            "",
            false,
            Signer{id, signature.trusted_comment, true}};
  if (status.code() == OPSRUN_UNIMPLEMENTED) {
    return RefusedSignature(fmt::format("its signature cannot be checked: {}", status.message()),
                            "install libsodium-dev and build opsrun again");
  }
  if (status.subject().empty())
    return RefusedSignature(fmt::format("it cannot be read: {}", status.message()), "copy it again");
  const char* const what = status.subject() == "file"
                               ? "it is not the file that the key {} signed"
                               : "the comment of its signature is not the one that the key {} signed";
  return RefusedSignature(fmt::format(fmt::runtime(what), id),
                          "get it again, together with its signature: one of them was changed");
}

}  // namespace

std::string SignatureFileOf(const std::string& path) {
  return path + ".minisig";
}

Result<std::vector<PublicKey>> ReadTrustedKeys(const std::vector<std::string>& files) {
  std::vector<PublicKey> keys;
  for (const std::string& file : files) {
    if (Status status = AddKeys(file, &keys); !status.ok()) return status;
  }
  return keys;
}

Result<std::vector<PublicKey>> FindTrustedKeys(const std::vector<std::string>& named) {
  if (named.empty()) {
    std::vector<std::string> files = {kSystemKeys};
    if (std::string own = UserKeys(); !own.empty()) files.push_back(std::move(own));
    return ReadTrustedKeys(files);
  }
  std::vector<PublicKey> keys;
  for (const std::string& each : named) {
    const Result<PublicKey> key = NamedKey(each);
    if (!key.ok()) return key.status();
    keys.push_back(*key);
  }
  return keys;
}

Finding JudgeSignature(const FileBytes& file, const std::string& path, const std::vector<PublicKey>& keys) {
  const std::string beside = SignatureFileOf(path);
  const Result<std::string> text = ReadFile(beside, kMostBytes);
  if (!text.ok() && text.status().code() == OPSRUN_NOT_FOUND) {
    if (keys.empty()) return {kCheck, Finding::State::kOk, "", ""};
    return RefusedSignature(fmt::format("it is not signed: there is no file {}", beside),
                            fmt::format("copy that file too, or sign it: opsrun sign --key KEY {}", path));
  }
  const Result<FileSignature> signature = text.ok() ? ParseSignature(*text) : Result<FileSignature>(text.status());
  const std::string damage = signature.ok() ? ""
                             : text.ok()
                                 ? fmt::format("its signature {} is damaged: {}", beside, signature.status().message())
                                 : fmt::format("its signature: {}", text.status().message());
  if (!keys.empty()) {
    return signature.ok() ? JudgeBy(file, *signature, keys)
                          : RefusedSignature(
                                damage, fmt::format("copy it again, or sign it again: opsrun sign --key KEY {}", path));
  }
  if (!signature.ok()) return {kCheck, Finding::State::kWarning, damage, "copy it again"};
  const Signer signer{KeyIdText(signature->key), signature->trusted_comment, false};
  return {kCheck, Finding::State::kOk, fmt::format("by key {}, not checked: {}", signer.key, signer.comment), "", false,
          signer};
}

}  // namespace opsrun::host
