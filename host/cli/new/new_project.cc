// SPDX-License-Identifier: Apache-2.0
#include "host/cli/new/new_project.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "host/base/file.h"
#include "host/base/text.h"
#include "host/show/wrap/wrap.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 48;

// Names that CMake's generators, the install or Python's own modules have, and what is nothing in YAML, as an op too.
constexpr std::string_view kTakenNames[] = {"all",  "clean",   "edit_cache",    "help",   "install", "lib",
                                            "null", "package", "rebuild_cache", "opsrun", "test",    "tests"};

// The words of regions that a project of this kind has.
std::vector<std::string_view> RegionsOf(const ProjectKind& kind) {
  std::vector<std::string_view> words = {kind.c ? "c" : "cpp"};
  if (!kind.c) words.push_back(kind.tensorflow ? "tensorflow" : "opsrun");
  words.push_back("notes");  // for the documentation
  if (kind.gpu) words.push_back("gpu");
  if (kind.python) words.push_back("python");
  return words;
}

// The region whose files these are; empty: of every project.
std::string_view RegionOfFile(std::string_view path) {
  if (path == "my_op.c") return "c";
  if (path == "my_op.cc") return "cpp";
  if (path == "my_op.cu.cc") return "gpu";
  if (path == "my_op.opsrun.yaml") return "tensorflow";
  return path == "pyproject.toml" || path.starts_with("python/") ? "python" : "";
}

// "gpu" for a line "  // [gpu]", and "/gpu" for its end; empty for other lines.
std::string_view MarkOf(std::string_view line) {
  constexpr std::string_view kWords[] = {"c", "cpp", "gpu", "notes", "opsrun", "python", "tensorflow"};
  const size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  for (const std::string_view comment : {"// [", "# [", "<!-- ["}) {
    if (!line.starts_with(comment)) continue;
    const std::string_view mark = line.substr(comment.size(), line.find(']') - comment.size());
    const std::string_view word = mark.starts_with('/') ? mark.substr(1) : mark;
    if (std::ranges::find(kWords, word) != std::end(kWords)) return mark;
  }
  return {};
}

// The lines of the template without those of other kinds of projects, and without marks.
std::string OfKind(std::string_view text, std::span<const std::string_view> regions) {
  std::string kept;
  std::string_view skipped;  // the region that is left out
  for (const std::string_view line : LinesOf(text)) {
    const std::string_view mark = MarkOf(line);
    if (!skipped.empty()) {
      if (mark.starts_with('/') && mark.substr(1) == skipped) skipped = {};
    } else if (mark.empty()) {
      kept.append(line) += '\n';
    } else if (!mark.starts_with('/') && std::ranges::find(regions, mark) == regions.end()) {
      skipped = mark;
    }
  }
  return kept;
}

void ReplaceWord(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

std::string WithName(std::string text, std::string_view name) {
  std::string dashes(name), upper(name);
  std::ranges::replace(dashes, '_', '-');
  std::ranges::transform(upper, upper.begin(), Upper);
  ReplaceWord(text, "MyOp", OpOfProject(name));
  ReplaceWord(text, "my-op", dashes);
  ReplaceWord(text, "MY_OP", upper);
  ReplaceWord(text, "my_op", name);
  return text;
}

// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& beside) {
    std::string path = beside.parent_path() / fmt::format(".{}.XXXXXX", beside.filename().string());
    if (mkdtemp(path.data()) == nullptr) {
      error_ = errno;
    } else {
      path_ = path;
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  int error() const { return error_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  int error_ = 0;
};

Status WriteNew(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return host::CannotWrite(path.string(), error.value());
  Result<AtomicFile> file = AtomicFile::CreateNew(path.string());
  if (!file.ok()) return file.status();
  if (const Status written = file->Write(text.data(), text.size()); !written.ok()) return written;
  if (const Status ended = file->End(/*flush=*/false); !ended.ok()) return ended;
  return file->Commit();
}

Status FolderExists(const std::string& folder) {
  return FailedPrecondition(fmt::format("'{}' exists", folder));
}

// As rename, but never replaces anything.
Status Rename(const fs::path& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return OkStatus();
  if (errno == EEXIST) return FolderExists(to);
  if (errno != EINVAL && errno != ENOSYS) return host::CannotWrite(to, errno);
  // A file system without this. What appears at this moment is replaced only if it is an empty folder.
  return rename(from.c_str(), to.c_str()) == 0 ? OkStatus() : host::CannotWrite(to, errno);
}

}  // namespace

Status CheckProjectName(std::string_view name) {
  const auto allowed = [](char c) { return IsLower(c) || IsDigit(c) || c == '_'; };
  if (name.empty() || !IsLower(name[0]) || !std::ranges::all_of(name, allowed))
    return InvalidArgument("it must be lower-case letters, digits and underscores, and begin with a letter");
  if (name.size() > kLongestName) return InvalidArgument(fmt::format("it is longer than {} letters", kLongestName));
  if (spec::SnakeCase(OpOfProject(name)) != name)
    return InvalidArgument(fmt::format("its op would be {}, of which Python makes {}; write a letter after each '_'",
                                       OpOfProject(name), spec::SnakeCase(OpOfProject(name))));
  if (spec::IsPythonKeyword(name) || IsCppReserved(name))
    return InvalidArgument("it is a reserved word of C++ or Python");
  if (std::ranges::find(kTakenNames, name) != std::end(kTakenNames))
    return InvalidArgument("CMake, Python, YAML or opsrun itself has something of that name");
  return OkStatus();
}

std::string OpOfProject(std::string_view name) {
  return spec::SetterName(name, "");
}

std::vector<FileOfProject<std::string>> FilesOfProject(std::string_view name, const ProjectKind& kind) {
  const std::vector<std::string_view> regions = RegionsOf(kind);
  std::vector<FileOfProject<std::string>> files;
  for (const ProjectFile& each : ProjectTemplates()) {
    const std::string_view region = RegionOfFile(each.path);
    if (!region.empty() && std::ranges::find(regions, region) == regions.end()) continue;
    files.push_back({WithName(std::string(each.path), name), WithName(OfKind(each.text, regions), name)});
  }
  return files;
}

Status WriteProject(const std::string& folder, std::span<const FileOfProject<std::string>> files) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(folder, error))) return FolderExists(folder);
  const TemporaryFolder beside(fs::absolute(folder, error));
  if (beside.path().empty()) return host::CannotWrite(folder, beside.error());
  const fs::path made = beside.path() / "project";  // with the permissions of any new folder
  for (const FileOfProject<std::string>& each : files) {
    if (const Status written = WriteNew(made / each.path, each.text); !written.ok()) return written;
  }
  return Rename(made, folder);
}

}  // namespace opsrun::host
