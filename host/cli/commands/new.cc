// host/cli/commands/new.cc: opsrun new, which writes a project for a plugin.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/base/text.h"
#include "host/cli/commands.h"
#include "host/cli/new/new_project.h"
#include "host/examine/catalog.h"

namespace opsrun::host {
namespace {

// The file of an installed plugin of that name, or a plugin with such an op; otherwise empty.
std::string OwnerOfName(const std::string& name, const Catalog& catalog) {
  for (const size_t i : catalog.EntriesNamed(name)) return fmt::format("'{}'", catalog.entries[i].path);
  for (const size_t i : catalog.ClaimantsOf(OpOfProject(name)))
    return fmt::format("plugin '{}', whose op is called {}", catalog.entries[i].note.name, OpOfProject(name));
  return {};
}

class NewCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(folder_, "NAME", true);
    options.Flag("--gpu", kind_.gpu, "with a kernel for NVIDIA's GPUs beside the one for the CPU");
    options.Flag("--python", kind_.python, "with a Python package, whose wheel has the plugin");
    options.Flag("--c", kind_.c, "in C, on the C API alone");
    options.Flag("--tensorflow", kind_.tensorflow,
                 "with TensorFlow's headers; where TensorFlow is installed, the op is also built for it");
    options.Exclude("--c", "--gpu");
    options.Exclude("--c", "--tensorflow");
  }

  int Execute(const CommonOptions& common, Console& console) override {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    const std::string name = std::filesystem::path(folder_).filename().string();
    if (const Status valid = CheckProjectName(name); !valid.ok()) {
      return console.Report(MakeError("U005",
                                      fmt::format("'{}' cannot be the name of a plugin: {}", name, valid.message()),
                                      "for example: opsrun new my_op"));
    }
    const Catalog catalog = ReadCatalog(SearchedDirectories(common.plugins, !common.no_default_plugins));
    if (const std::string owner = OwnerOfName(name, catalog); !owner.empty()) {
      return console.Report(MakeError("U005", fmt::format("the name '{}' is taken by {}", name, owner),
                                      "choose another name, or ignore installed plugins with --no-default-plugins"));
    }
    const std::vector<FileOfProject<std::string>> files = FilesOfProject(name, kind_);
    if (const Status written = WriteProject(folder_, files); !written.ok()) {
      return console.Report(
          MakeError("R504", written.message(), "choose another name, or another folder, such as tools/my_op"));
    }
    Describe(name, files, console);
    return kExitOk;
  }

 private:
  void Describe(const std::string& name, const std::vector<FileOfProject<std::string>>& files, Console& console) const {
    console.Ok(fmt::format("created {}: plugin '{}' with op {}, {}", Printable(folder_), name, OpOfProject(name),
                           Several(files.size(), "file")));
    console.Print("\nNext:\n");
    if (FindProgram("opsrun").empty())
      console.Print(fmt::format("  export PATH=\"{}:$PATH\"\n", OwnFile().parent_path().string()));
    console.Print(
        fmt::format("  cd {}\n"
                    "  cmake --workflow --preset release        # configure, build, test, package\n"
                    "  opsrun {}.yaml --plugins build/release/lib/opsrun\n"
                    "  opsrun install build/release/lib/opsrun/{}.so\n",
                    Printable(folder_), name, name));
    if (kind_.python)
      console.Print("  SOURCE_DATE_EPOCH=315532800 pip wheel --no-build-isolation --no-deps -w dist .\n");
  }

  std::string folder_;
  ProjectKind kind_;
};

}  // namespace

const CommandType kNewCommand = {
    .name = "new",
    .arguments = "NAME",
    .summary = "write a project for a plugin: an op with tests, a graph, a build and packages",
    .about =
        "Writes a project for a plugin to a new folder: an op with an attr, a shape function, a gradient and a\n"
        "kernel; tests; a graph that uses it; files for CMake, and for tests on GitHub.\n",
    .details =
        "NAME is that of the plugin, its op and the folder: my_op has the op MyOp. It may have a path before it,\n"
        "tools/my_op. Existing files are never changed.\n",
    .notes =
        "The exit code is 2 if the name is not valid or is taken, and 1 if the folder exists or cannot be written.\n",
    .examples = "opsrun new my_op\nopsrun new my_op --python --gpu\n",
    .make = Make<NewCommand>,
};

}  // namespace opsrun::host
