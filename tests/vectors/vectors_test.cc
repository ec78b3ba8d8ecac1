// tests/vectors/vectors_test.cc: runs every case of a file of vectors, or of the project's own two files.
//
// usage: vectors_test [SECTION...]
//
// OPSRUN_VECTORS names another file. Without a SECTION all are run. A case that differs is one line; the last line
// counts, and the exit status is 0 only if no case failed and at least one passed.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <stdexcept>

#include "host/graph/read_graph.h"
#include "tests/vectors/cases.h"

namespace opsrun::vectors {
namespace {

struct Section {
  std::string_view name;
  Runner run;
};

constexpr Section kSections[] = {{"attr_specs", RunAttrSpec},
                                 {"io_specs", RunIoSpec},
                                 {"attr_inference", RunAttrInference},
                                 {"compat", RunCompat},
                                 {"shape_fns", RunShapeFn},
                                 {"shape_sequences", RunShapeSequence},
                                 {"kernel_choice", RunKernelChoice},
                                 {"naming", RunNaming},
                                 {"pad", RunPad}};

using Names = std::vector<std::string>;

struct Counts {
  size_t passed = 0;
  size_t failed = 0;
  size_t skipped = 0;
  size_t quirks = 0;  // that differ: what opsrun does instead is meant so

  void operator+=(const Counts& more) {
    passed += more.passed;
    failed += more.failed;
    skipped += more.skipped;
    quirks += more.quirks;
  }
};

// One line, whatever the text holds.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

Verdict Run(const Section& section, const Tree& entry, const Tree& file) {
  try {
    return section.run(entry, file);
  } catch (const std::exception& e) {
    return {"a case that can be run", e.what(), {}};
  }
}

bool IsQuirk(const Tree& entry) {
  const Tree* quirk = entry.Find("quirk");
  return quirk != nullptr && BoolOf(*quirk);
}

void RunCase(const Section& section, const Tree& entry, const Tree& file, Counts* counts,
             std::set<std::string>* reasons) {
  const Verdict verdict = Run(section, entry, file);
  if (!verdict.skipped.empty()) {
    ++counts->skipped;
    reasons->insert(verdict.skipped);
    return;
  }
  if (verdict.expected == verdict.found) {
    ++counts->passed;
    return;
  }
  const bool quirk = IsQuirk(entry);
  ++(quirk ? counts->quirks : counts->failed);
  std::printf("  %s%s: expected: %s; found: %s\n", TextOf(entry, "id").c_str(), quirk ? " (quirk)" : "",
              OneLine(verdict.expected).c_str(), OneLine(verdict.found).c_str());
}

// The field, which may be one of a map, as "means.type" is.
Tree& FieldOf(Tree& tree, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  Tree* field = tree.Find(name);
  if (field == nullptr) {
    tree.kind = Tree::Kind::kMap;
    AddEntry(tree, std::string(name), Tree());
    field = &tree.entries.back().value;
  }
  return dot == std::string_view::npos ? *field : FieldOf(*field, path.substr(dot + 1));
}

// The entry, or one case for each of its `rows`: its other fields, and those that `each` names with the row's values.
std::vector<Tree> CasesOf(Tree entry) {
  if (entry.Find("rows") == nullptr) return {std::move(entry)};
  const Tree each = At(entry, "each"), rows = At(entry, "rows");
  std::erase_if(entry.entries, [](const auto& field) { return field.key == "each" || field.key == "rows"; });
  std::vector<Tree> cases;
  for (const Tree& row : ListOf(rows)) {
    Tree& one = cases.emplace_back(entry);
    FieldOf(one, "id").text += " row " + std::to_string(cases.size());
    if (each.kind == Tree::Kind::kScalar) {
      FieldOf(one, each.text) = row;
    } else if (ListOf(row).size() != ListOf(each).size()) {
      throw std::runtime_error(TextOf(one, "id") + " has another number of values than `each`");
    } else {
      for (size_t i = 0; i < row.items.size(); ++i) FieldOf(one, TextOf(each.items[i])) = row.items[i];
    }
  }
  return cases;
}

Counts RunSection(const Section& section, const Tree& file) {
  Counts counts;
  std::set<std::string> reasons;
  for (const Tree& entry : ListOf(At(file, section.name))) {
    for (const Tree& one : CasesOf(entry)) RunCase(section, one, file, &counts, &reasons);
  }
  std::printf("%s: %zu passed, %zu failed, %zu quirks differ, %zu skipped\n", std::string(section.name).c_str(),
              counts.passed, counts.failed, counts.quirks, counts.skipped);
  for (const std::string& reason : reasons) std::printf("  skipped: %s\n", reason.c_str());
  return counts;
}

const Section* FindSection(std::string_view name) {
  for (const Section& section : kSections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

// Why the section is not run, or empty.
std::string WhyNot(const Section* section, const std::string& name, const Names& named) {
  if (section == nullptr) return "nothing runs this section";
  if (named.empty()) return "";
  return std::find(named.begin(), named.end(), name) == named.end() ? "not named" : "";
}

Tree ReadYamlTree(const std::string& path) {
  const host::Result<std::shared_ptr<const host::SourceFile>> source = host::ReadSource(path);
  if (!source.ok()) throw std::runtime_error(source.status().message());
  host::Diagnostics diagnostics;
  std::optional<Tree> value = host::ReadYaml(**source, diagnostics);
  if (diagnostics.has_errors()) throw std::runtime_error(path + ": " + diagnostics.all()[0].message);
  return *std::move(value);
}

Counts RunFile(const std::string& path, const Names& named) {
  std::printf("%s\n", path.c_str());
  const Tree file = ReadYamlTree(path);
  Counts counts;
  for (const auto& [name, span, cases] : file.entries) {
    if (name == "about" || name == "type_sets") continue;
    const Section* section = FindSection(name);
    const std::string why_not = WhyNot(section, name, named);
    if (why_not.empty()) {
      counts += RunSection(*section, file);
    } else {
      std::printf("%s: %zu skipped: %s\n", name.c_str(), cases.items.size(), why_not.c_str());
      counts.skipped += cases.items.size();
    }
  }
  return counts;
}

std::vector<std::string> Files() {
  const char* path = std::getenv("OPSRUN_VECTORS");
  if (path != nullptr && *path != '\0') return {path};
  return {OPSRUN_OWN_VECTORS "/vectors_a.yaml", OPSRUN_OWN_VECTORS "/vectors_tf.yaml"};
}

int Main(const Names& named) {
  Counts counts;
  for (const std::string& path : Files()) counts += RunFile(path, named);
  if (counts.quirks > 0)
    std::printf("%zu quirk%s, and may\n", counts.quirks, counts.quirks == 1 ? " differs" : "s differ");
  if (counts.skipped > 0) std::printf("%zu skipped\n", counts.skipped);
  std::printf("%zu passed, %zu failed\n", counts.passed, counts.failed);
  return counts.failed == 0 && counts.passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace opsrun::vectors

int main(int argc, char** argv) {
  try {
    return opsrun::vectors::Main({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::exception& e) {
    std::printf("%s\n0 passed, 1 failed\n", e.what());
    return EXIT_FAILURE;
  }
}
