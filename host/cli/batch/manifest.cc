// host/cli/batch/manifest.cc: the items of a batch, from JSON Lines or names of files.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/batch/rows.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostIdBytes = 200;

std::vector<std::string> NamesOf(const std::vector<const Feed*>& feeds) {
  std::vector<std::string> names;
  for (const Feed* feed : feeds) names.push_back(feed->name.value);
  return names;
}

// "x.npy", {"file": "x.npz", "key": "x"}, {"value": 1}, or a number or a list.
std::optional<ItemInput> InputOfJson(const Feed& feed, const Json& value, const fs::path& folder,
                                     Diagnostics& diagnostics) {
  const std::string& name = feed.name.value;
  if (!value.is_object()) {
    if (!value.is_null()) return InputOf(feed, value, folder);
    RefuseRow(diagnostics, fmt::format("'{}' is null", name), "give a file, a number or a list");
    return std::nullopt;
  }
  if (value.contains("value") && value.size() == 1) {
    ItemInput input;
    input.value = value["value"];
    return input;
  }
  const bool has_key = value.contains("key");
  const auto is_text = [&](const char* key) { return value.contains(key) && value[key].is_string(); };
  if (!is_text("file") || (has_key && !is_text("key")) || value.size() != (has_key ? 2 : 1)) {
    RefuseRow(diagnostics, fmt::format("'{}' is an object of neither form", name),
              R"(write {"file": "x.npy"}, {"file": "x.npz", "key": "x"} or {"value": [1, 2]})");
    return std::nullopt;
  }
  ItemInput input;
  const std::string key = has_key ? value["key"].get<std::string>() : "";
  input.file = {name, (folder / fs::path(value["file"].get<std::string>())).string(), key};
  if (!has_key && input.file.path.ends_with(".npz")) input.file.key = name;
  return input;
}

class JsonLines final : public Manifest {
 public:
  JsonLines(const std::string& path, std::vector<const Feed*> feeds) : lines_(path) {
    path_ = path;
    feeds_ = std::move(feeds);
  }

  Status Rewind() override { return row_ = 0, lines_.Begin(); }

  std::optional<BatchItem> Next(Diagnostics& diagnostics, bool& is_end, std::string* line) override {
    std::string text;
    do {
      if (is_end = !lines_.Next(text); is_end) return std::nullopt;
    } while (text.find_first_not_of(" \t") == std::string::npos);
    Diagnostics found;
    std::optional<BatchItem> item = ReadJsonItem(text, feeds_, lines_.folder(), found, row_ == 0 ? &ignored_ : nullptr);
    for (Diagnostic& d : found.all()) {
      d.file = path_;
      d.where.begin.line = d.where.end.line = lines_.line();
      diagnostics.all().push_back(std::move(d));
    }
    if (line != nullptr) *line = std::move(text);
    const size_t row = row_++;
    if (!item) return std::nullopt;
    item->row = row;
    item->place = {lines_.line(), 1};
    if (item->id.empty()) item->id = std::to_string(row + 1);
    return item;
  }

 private:
  Lines lines_;
  size_t row_ = 0;
};

class Patterns final : public Manifest {
 public:
  Patterns(std::vector<FeedArgument> patterns, std::vector<const Feed*> feeds) : patterns_(std::move(patterns)) {
    feeds_ = std::move(feeds);
  }

  bool List(Diagnostics& diagnostics) {
    std::set<std::string> all;
    std::vector<std::set<std::string>> found;
    for (const FeedArgument& pattern : patterns_) {
      found.push_back(IdsOf(pattern, diagnostics));
      all.insert(found.back().begin(), found.back().end());
    }
    for (size_t i = 0; i < patterns_.size(); ++i) {
      for (const std::string& id : all) {
        if (!found[i].contains(id))
          diagnostics.Error("F401", fmt::format("--feed {}: there is no file '{}', as for other feeds",
                                                patterns_[i].name, PathOf(patterns_[i], id)));
      }
    }
    ids_.assign(all.begin(), all.end());
    return !diagnostics.has_errors();
  }

  Status Rewind() override { return next_ = 0, OkStatus(); }

  std::optional<BatchItem> Next(Diagnostics&, bool& is_end, std::string*) override {
    if (is_end = next_ == ids_.size(); is_end) return std::nullopt;
    BatchItem item{ids_[next_], next_, {}, {}};
    for (const FeedArgument& pattern : patterns_)
      item.inputs.push_back({{pattern.name, PathOf(pattern, item.id), pattern.key}, {}});
    ++next_;
    return item;
  }

 private:
  static std::string PathOf(const FeedArgument& pattern, const std::string& id) {
    std::string path = pattern.path;
    return path.replace(path.find('*'), 1, id);
  }

  static std::set<std::string> IdsOf(const FeedArgument& pattern, Diagnostics& diagnostics) {
    std::set<std::string> ids;
    const fs::path path = pattern.path;
    const std::string name = path.filename().string();
    const size_t star = name.find('*');
    const auto refuse = [&](const std::string& why, const std::string& help) {
      diagnostics.Error("F401", fmt::format("--feed {}: {}", pattern.name, why)).help = {help};
      return ids;
    };
    if (star == std::string::npos || pattern.path.find('*') != pattern.path.rfind('*'))
      return refuse(fmt::format("'{}' needs one '*', in the name of a file", pattern.path),
                    fmt::format("for example: --feed {}='images/*.npy'", pattern.name));
    const std::string before = name.substr(0, star), behind = name.substr(star + 1);
    std::error_code error;
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (fs::directory_iterator files(folder, error), end; !error && files != end; files.increment(error)) {
      const std::string file = files->path().filename().string();
      if (file.size() <= before.size() + behind.size() || !file.starts_with(before) || !file.ends_with(behind))
        continue;
      const std::string id = file.substr(before.size(), file.size() - before.size() - behind.size());
      if (id.front() != '.' && CheckId(id, diagnostics, 1)) ids.insert(id);
    }
    if (error) return refuse(CannotRead(folder.string(), error.value()).message(), "name a directory that can be read");
    if (ids.empty())
      return refuse(fmt::format("no file is called '{}'", pattern.path),
                    "a '*' matches the part of a name that is the id");
    return ids;
  }

  const std::vector<FeedArgument> patterns_;
  std::vector<std::string> ids_;
  size_t next_ = 0;
};

}  // namespace

Diagnostic& RefuseRow(Diagnostics& diagnostics, std::string message, std::string help, uint32_t column) {
  Diagnostic& d = diagnostics.Error("F401", std::move(message));
  d.where = {{1, column}, {1, column + 1}};
  d.help.push_back(std::move(help));
  return d;
}

bool CheckId(const std::string& id, Diagnostics& diagnostics, uint32_t column) {
  if (IsNpzKey(id) && id.size() <= kMostIdBytes && id.front() != '.' && IsUtf8(id)) return true;
  return RefuseRow(
             diagnostics, fmt::format("{} cannot be an id", Quote(id)),
             "an id names a file: up to 200 bytes of UTF-8, without '/', '\\', control characters or a dot in front",
             column),
         false;
}

ItemInput InputOf(const Feed& feed, Json value, const fs::path& folder) {
  ItemInput input;
  if (!value.is_string() || IsText(feed)) {
    input.value = std::move(value);
    return input;
  }
  input.file = {feed.name.value, (folder / fs::path(value.get<std::string>())).string(), ""};
  SplitKey(input.file);
  return input;
}

Status Lines::Begin() {
  line_ = 0;
  const std::optional<FileState> state = StateOf(path_.c_str());
  if (state_ && state != state_) return FailedPrecondition(fmt::format("'{}' has changed since it was checked", path_));
  state_ = state;
  std::error_code error;
  if (!fs::is_regular_file(path_, error)) return CannotRead(path_, error ? error.value() : state ? EINVAL : ENOENT);
  file_ = std::ifstream(path_, std::ios::binary);
  return file_ ? OkStatus() : CannotRead(path_, errno);
}

bool Lines::Next(std::string& line) {
  if (!std::getline(file_, line)) return false;
  if (line.ends_with('\r')) line.pop_back();
  if (++line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return true;
}

Result<std::unique_ptr<Manifest>> Manifest::Open(const std::string& path, std::vector<const Feed*> feeds) {
  const std::string ending = fs::path(path).extension().string();
  std::unique_ptr<Manifest> manifest;
  if (ending == ".csv" || ending == ".tsv") {
    manifest = OpenCsv(path, ending == ".csv" ? ',' : '\t', std::move(feeds));
  } else if (ending == ".jsonl" || ending == ".ndjson") {
    manifest = std::make_unique<JsonLines>(path, std::move(feeds));
  } else if (ending == ".parquet") {
    return Unimplemented(fmt::format("'{}': the Python package reads Parquet, with pyarrow: opsrun.batch", path));
  } else {
    return InvalidArgument(fmt::format("'{}' does not end in .csv, .tsv, .jsonl or .ndjson", path));
  }
  if (const Status begun = manifest->Rewind(); !begun.ok()) return begun;
  return manifest;
}

std::unique_ptr<Manifest> Manifest::OfPatterns(std::vector<FeedArgument> patterns, std::vector<const Feed*> feeds,
                                               Diagnostics& diagnostics) {
  auto manifest = std::make_unique<Patterns>(std::move(patterns), std::move(feeds));
  return manifest->List(diagnostics) ? std::move(manifest) : nullptr;
}

std::optional<BatchItem> ReadJsonItem(std::string_view line, const std::vector<const Feed*>& feeds,
                                      const std::string& folder, Diagnostics& diagnostics,
                                      std::vector<std::string>* ignored) {
  const size_t before = diagnostics.all().size();
  const Json object = ParseJson(line).value_or(Json());
  if (!object.is_object()) {
    RefuseRow(diagnostics, "this line is not an object in JSON", R"(for example: {"id": "7", "x": "x.npy"})");
    return std::nullopt;
  }
  BatchItem item;
  item.inputs.resize(feeds.size());
  if (const auto id = object.find(kIdKey); id != object.end()) {
    const std::string text = id->is_string() ? id->get<std::string>() : id->is_number_integer() ? id->dump() : "";
    if (CheckId(text, diagnostics, 1)) item.id = text;
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto value = object.find(feeds[i]->name.value);
    if (value == object.end()) {
      std::vector<std::string> keys;
      for (const auto& each : object.items()) keys.push_back(each.key());
      RefuseRow(diagnostics, fmt::format("there is nothing for feed '{}'", feeds[i]->name.value),
                DidYouMean(feeds[i]->name.value, keys, "keys"));
    } else if (std::optional<ItemInput> input = InputOfJson(*feeds[i], *value, folder, diagnostics)) {
      item.inputs[i] = *std::move(input);
    }
  }
  const std::vector<std::string> names = NamesOf(feeds);
  for (const auto& each : object.items()) {
    if (ignored != nullptr && each.key() != kIdKey && std::ranges::find(names, each.key()) == names.end())
      ignored->push_back(each.key());
  }
  return diagnostics.all().size() == before ? std::optional(std::move(item)) : std::nullopt;
}

Json ItemJson(const BatchItem& item, const std::vector<const Feed*>& feeds) {
  Json object = {{kIdKey, item.id}};
  for (size_t i = 0; i < feeds.size(); ++i) {
    const auto& [file, value] = item.inputs[i];
    Json& of_feed = object[feeds[i]->name.value];
    if (file.path.empty()) {
      of_feed["value"] = value;
    } else {
      of_feed["file"] = fs::absolute(file.path).string();
      if (!file.key.empty()) of_feed["key"] = file.key;
    }
  }
  return object;
}

}  // namespace opsrun::host
