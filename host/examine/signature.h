// host/examine/signature.h: which keys must have signed plugins, and the check that one of them has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/examine/judge_library.h"
#include "host/examine/minisign.h"

namespace opsrun::host {

// "x.so.minisig" for "x.so".
std::string SignatureFileOf(const std::string& path);

// The keys of which one must have signed each plugin; none: plugins need no signature. named: files of public keys, or
// the keys themselves in Base64. Without any, those in /etc/opsrun/trusted_keys and in the user's trusted_keys
// ($XDG_CONFIG_HOME/opsrun, or ~/.config/opsrun), if these files exist. An error names the key or the file: it cannot
// be read, is not a key, or others can write to it.
Result<std::vector<PublicKey>> FindTrustedKeys(const std::vector<std::string>& named);

inline constexpr char kHelpTrustedKeys[] =
    "use the public key of minisign -G or opsrun keygen, its file, or a file of trusted keys with one in each line";

// For tests: the keys in these files, of which each may be missing.
Result<std::vector<PublicKey>> ReadTrustedKeys(const std::vector<std::string>& files);

// The check "signature" of a file that is open. Refused if none of the keys has signed these bytes. Without keys, it
// says whose signature there is, unchecked; its text is empty if there is none. path: of the file.
Finding JudgeSignature(const FileBytes& file, const std::string& path, const std::vector<PublicKey>& keys);

}  // namespace opsrun::host
