// host/cli/pack/package.h: packages of one plugin: what is in them, and their metadata.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/examine/library_facts.h"
#include "host/examine/plugin_note.h"

namespace opsrun::host {

struct FileOfPackage {
  std::string name;  // "my_op.so"
  std::string bytes;
};

struct PackageContent {
  PluginNote note;
  LibraryFacts facts;
  std::vector<FileOfPackage> files;  // the plugin, and what is beside it
  int64_t time = 0;                  // of all files, in seconds since 1970
};

enum class PackageKind { kDeb, kTar, kWheel };

// Debian's package of each library that the plugin needs, with the lowest version of the C library:
// "libc6 (>= 2.14), libstdc++6". others: the libraries whose package is unknown.
std::string DebianDependencies(const LibraryFacts& facts, std::vector<std::string>* others);

// INVALID_ARGUMENT unless the plugin has a version that packages can have, as the end of a sentence.
Status CheckPackageVersion(const std::string& version);

// "opsrun-my-op_0.1.0_amd64.deb". Requires a valid version.
std::string FileNameOf(const PackageContent& content, PackageKind kind);

// The bytes of the package, which depend on nothing but the content. UNIMPLEMENTED if this opsrun was built without
// libarchive; INTERNAL if the program that uses it fails.
Result<std::string> MakePackage(const PackageContent& content, PackageKind kind);

}  // namespace opsrun::host
