// host/cli/batch/journal.cc: what became of each item, in a file that outlives the program.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "host/base/display_text.h"
#include "host/cli/batch/batch.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "journal.jsonl";

std::string NameOf(const Shard& shard) {
  return shard.index == 0 ? kName : fmt::format("journal-{}-of-{}.jsonl", shard.index, shard.count);
}

// All journals of the folder, that of whole batches first.
Result<std::vector<std::string>> ListJournals(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator files(folder, error), end; !error && files != end; files.increment(error)) {
    const std::string name = files->path().filename().string();
    if (name == kName || (name.starts_with("journal-") && name.ends_with(".jsonl")))
      paths.push_back(files->path().string());
  }
  if (error) return CannotRead(folder, error.value());
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return std::pair(!a.ends_with(kName), a) < std::pair(!b.ends_with(kName), b);
  });
  return paths;
}

// Takes the lock of a file, which the system releases when the program ends, however it does.
Result<Descriptor> OpenAlone(const std::string& path, int how) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) return CannotWrite(path, errno);
  if (flock(file.get(), how | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return CannotWrite(path, errno);
  return FailedPrecondition(fmt::format("another batch that runs now writes to '{}'", path));
}

std::string TextAt(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

uint64_t NumberAt(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

// Calls take for each record of the file. A line that is cut off is what a killed program left, and none.
template <typename Take>
Status ReadRecords(const std::string& path, Take take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, errno);
  std::string line;
  while (std::getline(file, line)) {
    const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object()) take(record, line);
  }
  return file.bad() ? CannotRead(path, errno) : OkStatus();
}

ItemState::Status StatusOf(const std::string& word) {
  return word == "ok"        ? ItemState::Status::kOk
         : word == "crashed" ? ItemState::Status::kCrashed
                             : ItemState::Status::kFailed;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& folder, const Shard& shard, const BatchBasis& basis,
                                               bool read_only) {
  std::unique_ptr<Journal> journal(new Journal((fs::path(folder) / NameOf(shard)).string()));
  if (Status opened = read_only ? OkStatus() : journal->OpenFile(folder, shard); !opened.ok()) return opened;
  std::error_code error;
  if (read_only && !fs::exists(folder, error)) return journal;
  const Result<std::vector<std::string>> paths = ListJournals(folder);
  if (!paths.ok()) return paths.status();
  for (const std::string& path : *paths) {
    if (Status loaded = journal->Load(path, basis); !loaded.ok()) return loaded;
  }
  if (read_only) return journal;
  Json begin = {{"batch", 1}, {"opsrun", OPSRUN_VERSION}};
  for (const auto& each : basis.description.items()) begin[each.key()] = each.value();
  if (Status added = journal->Append(JsonOnOneLine(begin)); !added.ok()) return added;
  return journal;
}

Status Journal::OpenFile(const std::string& folder, const Shard& shard) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return CannotWrite(folder, error.value());
  // Shards share the lock of the whole batch, which runs only without them.
  if (shard.index != 0) {
    Result<Descriptor> shared = OpenAlone((fs::path(folder) / kName).string(), LOCK_SH);
    if (!shared.ok()) return shared.status();
    shared_ = *std::move(shared);
  }
  Result<Descriptor> file = OpenAlone(path_, LOCK_EX);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  char last = '\n';
  const off_t size = lseek(file_.get(), 0, SEEK_END);
  if (size > 0 && pread(file_.get(), &last, 1, size - 1) != 1) return CannotRead(path_, errno);
  return last == '\n' ? OkStatus() : Append("");  // ends a line that was cut off
}

Status Journal::Load(const std::string& path, const BatchBasis& basis) {
  return ReadRecords(path, [&](const Json& record, const std::string&) {
    const std::string status = TextAt(record, "status");
    if (status == "running") {
      for (const Json& id : record.value("ids", Json::array())) {
        if (!id.is_string()) continue;
        ItemState& state = states_[KeyOf(id.get<std::string>())];
        state.begun = static_cast<uint8_t>(std::min(state.begun + 1, 200));
      }
    } else if (const std::string id = TextAt(record, "id"); !id.empty()) {
      ItemState& state = states_[KeyOf(id)];
      state = {};
      state.status = StatusOf(status);
      state.stamp = NumberAt(record, "stamp");
      state.bytes = NumberAt(record, "bytes");
      const std::string inputs = TextAt(record, "inputs");
      inputs.copy(state.inputs.data(), state.inputs.size());
      state.same_graph = TextAt(record, "graph") == basis.graph;
      state.same_plugins = TextAt(record, "plugins") == basis.plugins;
    }
  });
}

const ItemState* Journal::Find(const std::string& id) const {
  const auto found = states_.find(KeyOf(id));
  return found == states_.end() ? nullptr : &found->second;
}

Status Journal::Begin(std::span<const BatchItem> items) {
  return Append(BeginText(items));
}

Status Journal::Add(const std::string& record) {
  return Append(record);
}

// One call of the system, so that a program that is killed leaves whole lines; a disk that gets full, too.
Status Journal::Append(const std::string& line) {
  const std::string text = line + "\n";
  const std::lock_guard<std::mutex> lock(mutex_);
  const ssize_t written = write(file_.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return OkStatus();
  const int error = written < 0 ? errno : ENOSPC;
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  if (written > 0 && ftruncate(file_.get(), end - written) != 0) return CannotWrite(path_, errno);
  return CannotWrite(path_, error);
}

Result<size_t> Journal::Merge(const std::string& folder) {
  const std::string whole = (fs::path(folder) / kName).string();
  std::error_code error;
  if (!fs::is_directory(folder, error)) return NotFound(fmt::format("there is no directory '{}'", folder));
  const Result<Descriptor> alone = OpenAlone(whole, LOCK_EX);
  if (!alone.ok()) return alone.status();
  const Result<std::vector<std::string>> paths = ListJournals(folder);
  if (!paths.ok()) return paths.status();
  // By id: the order of all last records, and whether the item has begun again since.
  std::map<std::string, std::pair<std::string, std::string>> last;
  std::string begins;
  for (const std::string& path : *paths) {
    const Status read = ReadRecords(path, [&](const Json& record, const std::string& line) {
      const std::string id = TextAt(record, "id");
      if (!id.empty()) {
        last[id] = {line + "\n", ""};
      } else if (record.contains("batch")) {
        begins += line + "\n";
      } else {
        for (const Json& each : record.value("ids", Json::array())) {
          if (each.is_string())
            last[each.get<std::string>()].second += JsonOnOneLine({{"status", "running"}, {"ids", {each}}}) + "\n";
        }
      }
    });
    if (!read.ok()) return read;
  }
  Result<AtomicFile> file = AtomicFile::Create(whole);
  if (!file.ok()) return file.status();
  Status written = file->Write(begins.data(), begins.size());
  for (const auto& [id, records] : last) {
    if (written.ok()) written = file->Write(records.first.data(), records.first.size());
    if (written.ok()) written = file->Write(records.second.data(), records.second.size());
  }
  if (written.ok()) written = file->Commit();
  if (!written.ok()) return written;
  for (const std::string& path : *paths) {
    if (path != whole) fs::remove(path, error);
  }
  return last.size();
}

}  // namespace opsrun::host
