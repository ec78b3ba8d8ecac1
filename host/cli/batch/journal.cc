// host/cli/batch/journal.cc: what became of each item, in a file that outlives the program.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/cli/batch/batch.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "journal.jsonl";
// Its lock is that of the folder. It is never removed, so that nobody can hold the lock of a file that is gone.
constexpr char kLock[] = "journal.lock";

std::string NameOf(const Shard& shard) {
  return shard.index == 0 ? kName : fmt::format("journal-{}-of-{}.jsonl", shard.index, shard.count);
}

// The shard of a journal's name; index 0: of a whole batch. Nothing for other files.
std::optional<Shard> ShardOf(const std::string& name) {
  if (name == kName) return Shard{};
  Shard shard;
  int end = 0;
  if (std::sscanf(name.c_str(), "journal-%u-of-%u.jsonl%n", &shard.index, &shard.count, &end) != 2) return std::nullopt;
  return NameOf(shard) == name && shard.index != 0 ? std::optional(shard) : std::nullopt;
}

struct JournalFile {
  std::string path;
  Shard shard;
};

// All journals of the folder, that of whole batches first.
Result<std::vector<JournalFile>> ListJournals(const std::string& folder) {
  std::vector<JournalFile> found;
  std::error_code error;
  for (fs::directory_iterator files(folder, error), end; !error && files != end; files.increment(error)) {
    const std::optional<Shard> shard = ShardOf(files->path().filename().string());
    if (shard && files->is_regular_file(error)) found.push_back({files->path().string(), *shard});
  }
  if (error) return CannotRead(folder, error.value());
  std::ranges::sort(found, {}, [](const JournalFile& each) { return std::pair(each.shard.index, each.path); });
  return found;
}

// Takes the lock of a file, which the system releases when the program ends, however it does.
Result<Descriptor> OpenAlone(const std::string& path, int how) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) return CannotWrite(path, errno);
  if (flock(file.get(), how | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) return CannotWrite(path, errno);
  return FailedPrecondition(
      fmt::format("another batch that runs now writes to '{}'", fs::path(path).parent_path().string()));
}

std::string TextAt(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

uint64_t NumberAt(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

double TimeAt(const Json& record) {
  const auto found = record.find("at");
  return found != record.end() && found->is_number() ? found->get<double>() : 0;
}

int64_t MicrosecondsSince1970() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

// Calls take for each record of the file. A line that is cut off is what a killed program left, and none.
template <typename Take>
Status ReadRecords(const std::string& path, Take take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, errno);
  std::string line;
  while (std::getline(file, line)) {
    const std::optional<Json> record = ParseJson(line);
    if (record && record->is_object()) take(*record, line);
  }
  return file.bad() ? CannotRead(path, errno) : OkStatus();
}

// Calls take for each id of a record without results, with its index.
template <typename Take>
void ForIds(const Json& record, Take take) {
  const auto ids = record.find("ids");
  if (ids == record.end() || !ids->is_array()) return;
  for (size_t i = 0; i < ids->size(); ++i) {
    if ((*ids)[i].is_string()) take((*ids)[i].get<std::string>(), i);
  }
}

uint64_t StampAt(const Json& record, size_t i) {
  const auto stamps = record.find("stamps");
  const bool has = stamps != record.end() && stamps->is_array() && i < stamps->size();
  return has && (*stamps)[i].is_number_unsigned() ? (*stamps)[i].get<uint64_t>() : 0;
}

// Joins all journals. Requires: the folder's lock is held. Of each item, the last record is kept, and those since then
// that say that it runs.
Result<size_t> MergeJournals(const std::string& folder) {
  const Result<std::vector<JournalFile>> files = ListJournals(folder);
  if (!files.ok()) return files.status();
  struct Last {
    std::string ended, running;
    double at = 0;
    size_t file = 0;
  };
  std::map<std::string, Last> last;
  std::string begins;
  for (size_t i = 0; i < files->size(); ++i) {
    const Status read = ReadRecords((*files)[i].path, [&](const Json& record, const std::string& line) {
      const auto take = [&](const std::string& id) -> Last* {
        Last& of = last[id];
        if (of.file != i && TimeAt(record) < of.at) return nullptr;
        of.file = i;
        of.at = TimeAt(record);
        return &of;
      };
      const std::string id = TextAt(record, "id");
      if (record.contains("batch")) {
        begins += line + "\n";
      } else if (Last* const of = id.empty() ? nullptr : take(id)) {
        of->ended = TextAt(record, "status") == "unchanged" ? of->ended + line + "\n" : line + "\n";
        of->running.clear();
      }
      ForIds(record, [&](const std::string& running, size_t k) {
        Json alone = record;
        alone["ids"] = {running};
        alone["stamps"] = {StampAt(record, k)};
        if (Last* const of = take(running)) of->running += JsonOnOneLine(alone) + "\n";
      });
    });
    if (!read.ok()) return read;
  }
  Result<AtomicFile> file = AtomicFile::Create((fs::path(folder) / kName).string());
  if (!file.ok()) return file.status();
  Status written = file->Write(begins.data(), begins.size());
  for (const auto& [id, of] : last) {
    if (written.ok()) written = file->Write(of.ended.data(), of.ended.size());
    if (written.ok()) written = file->Write(of.running.data(), of.running.size());
  }
  if (written.ok()) written = file->Commit();
  if (!written.ok()) return written;
  std::error_code error;
  for (const JournalFile& each : *files) {
    if (each.shard.index != 0) fs::remove(each.path, error);
  }
  return last.size();
}

}  // namespace

// The parser has no limit of its own, and copies of its values recurse.
std::optional<Json> ParseJson(std::string_view text) {
  constexpr int kMostLevels = 80;
  int levels = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (c == '\\') ++i;
    if (!quoted) levels += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    if (levels > kMostLevels) return std::nullopt;
  }
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? std::nullopt : std::optional(std::move(json));
}

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& folder, const Shard& shard, const BatchBasis& basis,
                                               bool read_only) {
  std::unique_ptr<Journal> journal(new Journal((fs::path(folder) / NameOf(shard)).string()));
  if (Status opened = read_only ? OkStatus() : journal->OpenFile(folder, shard); !opened.ok()) return opened;
  std::error_code error;
  if (read_only && !fs::exists(folder, error)) return journal;
  const Result<std::vector<JournalFile>> files = ListJournals(folder);
  if (!files.ok()) return files.status();
  for (size_t i = 0; i < files->size(); ++i) {
    const JournalFile& file = (*files)[i];
    if (!read_only && file.shard.index != 0 && file.shard.count != shard.count) {
      return FailedPrecondition(
          fmt::format("'{}' is of another number of shards: opsrun batch --merge --out {}", file.path, folder));
    }
    if (Status loaded = journal->Load(file.path, static_cast<uint16_t>(i), basis); !loaded.ok()) return loaded;
  }
  if (read_only) return journal;
  Json begin = {{"batch", 1}, {"opsrun", OPSRUN_VERSION}};
  for (const auto& each : basis.description.items()) begin[each.key()] = each.value();
  if (Status added = journal->Add({JsonOnOneLine(begin)}); !added.ok()) return added;
  return journal;
}

// Shards share the lock of the folder, which a whole batch has alone: it joins their journals first.
Status Journal::OpenFile(const std::string& folder, const Shard& shard) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return CannotWrite(folder, error.value());
  Result<Descriptor> lock = OpenAlone((fs::path(folder) / kLock).string(), shard.index == 0 ? LOCK_EX : LOCK_SH);
  if (!lock.ok()) return lock.status();
  lock_ = *std::move(lock);
  if (shard.index == 0) {
    const Result<std::vector<JournalFile>> files = ListJournals(folder);
    if (!files.ok()) return files.status();
    if (!files->empty() && files->back().shard.index != 0) {
      const Result<size_t> merged = MergeJournals(folder);
      if (!merged.ok()) return merged.status();
    }
  }
  Result<Descriptor> file = OpenAlone(path_, LOCK_EX);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  char last = '\n';
  const off_t size = lseek(file_.get(), 0, SEEK_END);
  if (size > 0 && pread(file_.get(), &last, 1, size - 1) != 1) return CannotRead(path_, errno);
  return last == '\n' ? OkStatus() : Add({""});  // ends a line that was cut off
}

Status Journal::Load(const std::string& path, uint16_t file, const BatchBasis& basis) {
  return ReadRecords(path, [&](const Json& record, const std::string&) {
    // The journals of several shards may have an item, if rows have moved.
    const auto take = [&](const std::string& id) -> ItemState* {
      ItemState& state = states_[HashOf(id)];
      if (state.file != file && TimeAt(record) < state.at) return nullptr;
      state.file = file;
      state.at = TimeAt(record);
      return &state;
    };
    const bool same_graph = TextAt(record, "graph") == basis.graph,
               same_plugins = TextAt(record, "plugins") == basis.plugins;
    const std::string status = TextAt(record, "status"), id = TextAt(record, "id");
    if (record.contains("batch")) formats_.insert(TextAt(record, "format"));
    ForIds(record, [&](const std::string& running, size_t i) {
      ItemState* const state = take(running);
      if (state == nullptr) return;
      const bool begins = status == "running" && same_graph && same_plugins;
      const bool again = state->is_open && state->begun_stamp == StampAt(record, i);
      state->begun = !begins ? 0 : again ? static_cast<uint8_t>(std::min(state->begun + 1, 200)) : 1;
      state->begun_stamp = StampAt(record, i);
      state->is_open = true;
    });
    ItemState* const state = id.empty() ? nullptr : take(id);
    if (state == nullptr) return;
    state->is_open = false;
    state->begun = 0;
    state->stamp = NumberAt(record, "stamp");
    if (status == "unchanged") return;
    state->is_ok = status == "ok";
    state->bytes = NumberAt(record, "bytes");
    state->inputs = {};
    TextAt(record, "inputs").copy(state->inputs.data(), state->inputs.size());
    state->same_graph = same_graph;
    state->same_plugins = same_plugins;
  });
}

const ItemState* Journal::Find(const std::string& id) const {
  const auto found = states_.find(HashOf(id));
  return found == states_.end() ? nullptr : &found->second;
}

Status Journal::Add(const std::vector<std::string>& records) {
  return Write(records, /*reserve=*/true);
}

Status Journal::AddLast(const std::vector<std::string>& records) {
  return Write(records, /*reserve=*/false);
}

// Keeps room behind the end of the file, where the file system can.
Status Journal::Reserve(uint64_t bytes) {
  constexpr uint64_t kRoom = uint64_t{64} << 10;
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  if (!can_reserve_ || static_cast<uint64_t>(end) + bytes + kRoom <= reserved_) return OkStatus();
  if (fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, end, static_cast<off_t>(bytes + 2 * kRoom)) != 0) {
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return CannotWrite(path_, errno);
    can_reserve_ = false;
  }
  reserved_ = static_cast<uint64_t>(end) + bytes + 2 * kRoom;
  return OkStatus();
}

// One call of the system, so that a program that is killed leaves whole lines; a disk that gets full, too.
Status Journal::Write(const std::vector<std::string>& records, bool reserve) {
  const int64_t us = MicrosecondsSince1970();
  std::string text;
  for (const std::string& record : records) {
    text += record;
    if (text.ends_with('}')) {
      text.pop_back();
      fmt::format_to(std::back_inserter(text), R"(,"at":{}.{:06}}})", us / 1'000'000, us % 1'000'000);
    }
    text += '\n';
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Status reserved = reserve ? Reserve(text.size()) : OkStatus(); !reserved.ok()) return reserved;
  const ssize_t written = write(file_.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return OkStatus();
  const int error = written < 0 ? errno : ENOSPC;
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  if (written > 0 && ftruncate(file_.get(), end - written) != 0) return CannotWrite(path_, errno);
  return CannotWrite(path_, error);
}

Result<size_t> Journal::Merge(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return NotFound(fmt::format("there is no directory '{}'", folder));
  const Result<std::vector<JournalFile>> files = ListJournals(folder);
  if (!files.ok()) return files.status();
  if (files->empty()) return NotFound(fmt::format("there is no journal in '{}'", folder));
  const Result<Descriptor> alone = OpenAlone((fs::path(folder) / kLock).string(), LOCK_EX);
  return alone.ok() ? MergeJournals(folder) : alone.status();
}

}  // namespace opsrun::host
