// host/cli/new/new_project.h: the files of a new plugin project, made from the templates in sdk/templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"

namespace opsrun::host {

template <typename Text>
struct FileOfProject {
  Text path;  // relative to the folder of the project
  Text text;
};
using ProjectFile = FileOfProject<std::string_view>;

// The templates, sorted by path. A template is a file of a project called my_op, with lines "// [word]" and
// "// [/word]", or the same in another comment, around what is only for projects of that kind.
std::span<const ProjectFile> ProjectTemplates();

// The kind of a project.
struct ProjectKind {
  bool c = false, tensorflow = false, gpu = false, python = false;
};

// INVALID_ARGUMENT unless the name can be that of a plugin, its op (in CamelCase), its files, its target of CMake and
// its Python module; the message says what is wrong, as the end of a sentence.
Status CheckProjectName(std::string_view name);

// "MyOp" for "my_op". Requires a valid name.
std::string OpOfProject(std::string_view name);

// The files of a project, sorted by path. Requires a valid name.
std::vector<FileOfProject<std::string>> FilesOfProject(std::string_view name, const ProjectKind& kind);

// Writes the files to a new folder, completely or not at all: to a hidden folder beside it, which is then renamed. A
// program that is killed leaves at most the hidden one. Errors: FAILED_PRECONDITION if something has that name, and
// those of AtomicFile.
Status WriteProject(const std::string& folder, std::span<const FileOfProject<std::string>> files);

}  // namespace opsrun::host
