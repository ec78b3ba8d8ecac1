// SPDX-License-Identifier: Apache-2.0
#include "host/cli/pack/package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <regex>

#include "host/base/file.h"
#include "host/base/text.h"
#include "host/cli/filter.h"
#include "host/examine/judge_library.h"

namespace opsrun::host {
namespace {

#if defined(__aarch64__)
constexpr char kDebianMachine[] = "arm64", kMachine[] = "aarch64";
#else
constexpr char kDebianMachine[] = "amd64", kMachine[] = "x86_64";
#endif
constexpr int64_t kFirstTimeOfZip = 315532800;  // 1980

// Members of an archive, in the form that opsrun-archive reads.
class Members {
 public:
  void Add(const std::string& path, std::string_view bytes) {
    text_ += fmt::format("{} {} {}\n", path.ends_with('/') ? "755" : "644", bytes.size(), path);
    text_ += bytes;
  }

  Result<std::string> Pack(const char* format, int64_t time) const {
    const std::string program = FindOwnProgram("opsrun-archive");
    if (program.empty()) return Unimplemented("this opsrun was built without libarchive, which makes packages, as wheels of it are");
    return Filter(program, {"opsrun-archive", format, std::to_string(time)}, text_);
  }

 private:
  std::string text_;
};

// The name as packages may have it, with '-' or '_' in place of other characters: "opsrun-my-op".
std::string PackageName(const std::string& plugin, char instead) {
  std::string name = "opsrun";
  bool apart = true;
  for (const char c : plugin) {
    const bool kept = IsLetter(c) || IsDigit(c);
    if (kept && apart) name += instead;
    if (kept) name += Lower(c);
    apart = !kept;
  }
  return name;
}

// A value of a line "name=value" in the META note.
std::string MetaOf(const PluginNote& note, std::string_view key) {
  for (const auto& [name, text] : note.meta) {
    if (name == key) return text;
  }
  return {};
}

std::string SummaryOf(const PluginNote& note) {
  const std::string summary = MetaOf(note, "summary");
  return summary.empty() ? fmt::format("Plugin '{}' for opsrun", note.name) : summary;
}

std::string LevelText(const PluginNote& note) {
  uint32_t level = 0;
  for (const UnitNote& unit : note.units) level = std::max(level, unit.min_level);
  const std::string license = MetaOf(note, "license");
  return fmt::format("Plugin '{}' for opsrun, level {}.{}", note.name, level,
                     license.empty() ? "" : " License: " + license);
}

// A line "Name: value", or nothing for an empty value.
std::string Field(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format("{}: {}\n", name, value);
}

std::string ControlOf(const PackageContent& content) {
  size_t bytes = 0;
  for (const FileOfPackage& file : content.files) bytes += file.bytes.size();
  std::vector<std::string> others;
  const PluginNote& note = content.note;
  return Field("Package", PackageName(note.name, '-')) + Field("Version", note.version) +
         Field("Architecture", kDebianMachine) + Field("Maintainer", "The author of " + note.name) +
         Field("Installed-Size", std::to_string(bytes / 1024 + 1)) +
         Field("Depends", DebianDependencies(content.facts, &others)) + Field("Enhances", "opsrun") +
         Field("Section", "libs") + Field("Priority", "optional") + Field("Homepage", MetaOf(note, "homepage")) +
         Field("Description", SummaryOf(note)) + " " + LevelText(note) + "\n";
}

Result<std::string> MakeDeb(const PackageContent& content) {
  Members data, control, all;
  for (const char* folder : {"./", "./usr/", "./usr/lib/", "./usr/lib/opsrun/"}) data.Add(folder, "");
  for (const FileOfPackage& file : content.files) data.Add("./usr/lib/opsrun/" + file.name, file.bytes);
  control.Add("./control", ControlOf(content));
  const Result<std::string> of_control = control.Pack("tar", content.time), of_data = data.Pack("tar", content.time);
  if (!of_control.ok()) return of_control;
  if (!of_data.ok()) return of_data;
  all.Add("debian-binary", "2.0\n");
  all.Add("control.tar.gz", *of_control);
  all.Add("data.tar.gz", *of_data);
  return all.Pack("ar", content.time);
}

Result<std::string> MakeTar(const PackageContent& content) {
  const std::string top = fmt::format("{}-{}-{}/", PackageName(content.note.name, '-'), content.note.version, kMachine);
  Members members;
  for (const char* folder : {"", "lib/", "lib/opsrun/"}) members.Add(top + folder, "");
  for (const FileOfPackage& file : content.files) members.Add(top + "lib/opsrun/" + file.name, file.bytes);
  return members.Pack("tar", content.time);
}

// The bytes that hexadecimal digits stand for.
std::string BytesOf(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

// The list of a wheel's files: "path,sha256=...,size", with Base64 for URLs.
Result<std::string> RecordOf(const std::vector<FileOfPackage>& files) {
  Members members;
  for (const FileOfPackage& file : files) members.Add(file.name, file.bytes);
  const Result<std::string> digests = members.Pack("mtree", 0);
  if (!digests.ok()) return digests;
  constexpr std::string_view kDigest = "sha256digest=";
  std::string record;
  size_t at = 0;
  for (const FileOfPackage& file : files) {
    at = digests->find(kDigest, at);
    if (at == std::string::npos) return Internal("opsrun-archive has listed no digest");
    at += kDigest.size();
    std::string digest = EncodeBase64(BytesOf(std::string_view(*digests).substr(at, 64)));
    for (char& c : digest) c = c == '+' ? '-' : c == '/' ? '_' : c;
    while (digest.ends_with('=')) digest.pop_back();
    record += fmt::format("{},sha256={},{}\n", file.name, digest, file.bytes.size());
  }
  return record;
}

std::string WheelTag() {
  return fmt::format("py3-none-linux_{}", kMachine);
}

Result<std::string> MakeWheel(const PackageContent& content) {
  const PluginNote& note = content.note;
  const std::string package = PackageName(note.name, '_');
  const std::string folder = fmt::format("{}-{}.dist-info/", package, note.version);
  std::vector<FileOfPackage> files;
  for (const FileOfPackage& file : content.files) files.push_back({package + "/" + file.name, file.bytes});
  files.push_back({folder + "METADATA", Field("Metadata-Version", "2.1") + Field("Name", PackageName(note.name, '-')) +
                                            Field("Version", note.version) + Field("Summary", SummaryOf(note)) +
                                            Field("Home-page", MetaOf(note, "homepage")) +
                                            Field("License", MetaOf(note, "license")) +
                                            Field("Requires-Dist", "opsrun") + "\n" + LevelText(note) + "\n"});
  files.push_back({folder + "WHEEL", Field("Wheel-Version", "1.0") + Field("Generator", "opsrun") +
                                         Field("Root-Is-Purelib", "false") + Field("Tag", WheelTag())});
  files.push_back({folder + "entry_points.txt", fmt::format("[opsrun.plugins]\n{0} = {0}\n", package)});
  Result<std::string> record = RecordOf(files);
  if (!record.ok()) return record;
  files.push_back({folder + "RECORD", *record + folder + "RECORD,,\n"});
  Members members;
  for (const FileOfPackage& file : files) members.Add(file.name, file.bytes);
  return members.Pack("zip", std::max(content.time, kFirstTimeOfZip));
}

}  // namespace

std::string DebianDependencies(const LibraryFacts& facts, std::vector<std::string>* others) {
  static const std::map<std::string_view, std::string_view> packages = {
      {"libgcc_s.so.1", "libgcc-s1"}, {"libgomp.so.1", "libgomp1"}, {"libstdc++.so.6", "libstdc++6"}};
  static const std::vector<std::string_view> of_libc = {"libc.so.6",
                                                        "libm.so.6",
                                                        "libpthread.so.0",
                                                        "libdl.so.2",
                                                        "librt.so.1",
                                                        "ld-linux-x86-64.so.2",
                                                        "ld-linux-aarch64.so.1"};
  constexpr std::string_view kVersionOfLibc = "GLIBC_";
  std::string lowest;
  for (const LibraryFacts::Version& version : facts.needed_versions) {
    if (!version.name.starts_with(kVersionOfLibc)) continue;
    const std::string number = version.name.substr(kVersionOfLibc.size());
    if (lowest.empty() || IsOlder(lowest, number)) lowest = number;
  }
  std::vector<std::string> all;
  if (!lowest.empty()) all.push_back(fmt::format("libc6 (>= {})", lowest));
  for (const std::string& library : facts.needed) {
    if (const auto found = packages.find(library); found != packages.end()) {
      all.emplace_back(found->second);
    } else if (std::ranges::find(of_libc, library) == of_libc.end()) {
      others->push_back(library);
    }
  }
  std::ranges::sort(all);
  return fmt::format("{}", fmt::join(all, ", "));
}

Status CheckPackageVersion(const std::string& version) {
  static const std::regex form(R"(\d{1,9}(\.\d{1,9}){0,7}((a|b|rc|\.post|\.dev)\d{1,9})?)");
  if (version.empty()) return InvalidArgument("it has no version");
  if (!std::regex_match(version, form))
    return InvalidArgument(fmt::format("'{}' is not a version of packages", version));
  return OkStatus();
}

std::string FileNameOf(const PackageContent& content, PackageKind kind) {
  const PluginNote& note = content.note;
  switch (kind) {
    case PackageKind::kDeb:
      return fmt::format("{}_{}_{}.deb", PackageName(note.name, '-'), note.version, kDebianMachine);
    case PackageKind::kTar:
      return fmt::format("{}-{}-{}.tar.gz", PackageName(note.name, '-'), note.version, kMachine);
    case PackageKind::kWheel:
      break;
  }
  return fmt::format("{}-{}-{}.whl", PackageName(note.name, '_'), note.version, WheelTag());
}

Result<std::string> MakePackage(const PackageContent& content, PackageKind kind) {
  return kind == PackageKind::kDeb   ? MakeDeb(content)
         : kind == PackageKind::kTar ? MakeTar(content)
                                     : MakeWheel(content);
}

}  // namespace opsrun::host
