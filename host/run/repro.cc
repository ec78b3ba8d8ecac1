// SPDX-License-Identifier: Apache-2.0
#include "host/run/repro.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "host/base/child.h"
#include "host/base/display_text.h"
#include "host/run/call_slots.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

constexpr char kGraphFile[] = "graph.yaml", kPluginFile[] = "plugin.yaml", kErrorFile[] = "error.txt";

// Memory that a plugin has unmapped makes it fail instead of crash.
bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

int OpenIn(int folder, const char* name) {
  return openat(folder, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
}

// Some file systems report a full disk only here.
bool Close(int file) {
  return close(file) == 0;
}

bool WriteFileIn(int folder, const char* name, std::string_view bytes) {
  const int file = OpenIn(folder, name);
  if (file < 0) return false;
  const bool written = WriteAll(file, bytes);
  const int error = errno;
  const bool closed = Close(file);
  if (!written) errno = error;
  return written && closed;
}

}  // namespace

Status ReproRecord::Begin(uint32_t step, const ReproNode& node, CallSlots& slots, const opsrun_call* call) {
  state_.store(State::kEmpty, std::memory_order_relaxed);
  node_ = &node;
  inputs_.clear();
  bytes_.clear();
  gap_ = node.gap;
  Status status;
  const std::optional<Thrown> thrown = CatchThrown([&] {
    for (uint32_t i = 0; i < call->n_in && status.ok(); ++i) {
      if (node.files[i].empty()) continue;
      const size_t begin = bytes_.size();
      status = Copy(*call->in[i], slots, call);
      if (status.code() == OPSRUN_INVALID_ARGUMENT) {  // strings that NumPy does not have
        bytes_.resize(begin);
        gap_ = fmt::format("{} cannot be written: {}", node.files[i], status.message());
        status = OkStatus();
        continue;
      }
      inputs_.push_back({&node.files[i], begin, bytes_.size()});
    }
  });
  if (thrown) gap_ = "there was no memory for a copy of the inputs";
  if (!status.ok()) return status;
  step_.store(step, std::memory_order_relaxed);
  state_.store(State::kRunning, std::memory_order_release);
  return status;
}

Status ReproRecord::Copy(const opsrun_tensor& in, CallSlots& slots, const opsrun_call* call) {
  const DType dtype = DTypeOf(in);
  const Shape shape(in.shape, in.shape + in.rank);
  if (dtype == DType::kString) {
    const Result<Tensor> strings = Tensor::CopyOf(dtype, shape, in.data);
    if (!strings.ok()) return strings.status();
    return WriteNpyTo(*strings, "input", [this](const void* bytes, size_t count) {
      bytes_.append(static_cast<const char*>(bytes), count);
      return OkStatus();
    });
  }
  bytes_ += NpyHeaderText(NpyDescr(dtype), shape);
  const size_t size = ViewBytes(in), begin = bytes_.size();
  if ((in.flags & OPSRUN_TENSOR_HOST) != 0) {
    bytes_.append(static_cast<const char*>(in.data), size);
    return OkStatus();
  }
  bytes_.resize(begin + size);
  Device& device = slots.DeviceOf(call).device();
  Status status = device.Copy(Device::Direction::kOut, bytes_.data() + begin, in.data, size, call->stream);
  return status.ok() ? device.Drain(call->stream) : status;
}

void ReproRecord::End() {
  State running = State::kRunning;
  if (state_.compare_exchange_strong(running, State::kDone) || running != State::kTaken) return;
  for (;;) pause();
}

void ReproRecord::Reopen() {
  State done = State::kDone;
  state_.compare_exchange_strong(done, State::kRunning);
}

bool ReproRecord::Take() {
  State now = State::kRunning;
  if (state_.compare_exchange_strong(now, State::kTaken)) return true;
  while (now == State::kTaken) pause();
  return false;
}

Result<std::shared_ptr<ReproFolder>> ReproFolder::Create(const std::string& path, std::string command) {
  std::shared_ptr<ReproFolder> made(new ReproFolder);
  std::filesystem::path full(path);
  if (path.empty() || HoldsNul(path)) return InvalidArgument("the path of a folder is expected");
  if (!full.has_filename()) full = full.parent_path();
  made->path_ = path;
  made->command_ = std::move(command);
  made->name_ = full.filename().string();
  made->temporary_ = fmt::format(".{}.{}", made->name_, getpid());
  std::error_code error;
  const std::filesystem::file_status now = std::filesystem::symlink_status(full, error);
  if (made->name_ == "." || made->name_ == ".." || made->name_.empty()) {
    return InvalidArgument(fmt::format("'{}' is not the name of a new folder", path));
  }
  if (std::filesystem::exists(now) && !std::filesystem::is_directory(now))
    return FailedPrecondition(fmt::format("'{}' exists, and is not a folder", path));
  if (std::filesystem::exists(now) && !std::filesystem::is_empty(full, error))
    return FailedPrecondition(fmt::format("the folder '{}' is not empty", path));
  const std::filesystem::path parent = full.has_parent_path() ? full.parent_path() : std::filesystem::path(".");
  made->parent_ = Descriptor(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (made->parent_.get() < 0) return CannotWrite(path, errno);
  if (mkdirat(made->parent_.get(), made->temporary_.c_str(), 0777) != 0) return CannotWrite(path, errno);
  unlinkat(made->parent_.get(), made->temporary_.c_str(), AT_REMOVEDIR);
  return made;
}

bool ReproFolder::WriteFiles(int folder, const ReproRecord& record, Tell tell, const void* what) const {
  const std::string_view bytes = record.bytes_;
  for (const ReproRecord::Input& each : record.inputs_) {
    if (!WriteFileIn(folder, each.file->c_str(), bytes.substr(each.begin, each.end - each.begin))) return false;
  }
  if (!WriteFileIn(folder, kGraphFile, record.node_->graph) ||
      !WriteFileIn(folder, kPluginFile, *record.node_->plugin)) {
    return false;
  }
  const int file = OpenIn(folder, kErrorFile);
  if (file < 0) return false;
  tell(file, what);
  return Close(file);
}

void ReproFolder::Remove(int folder, const ReproRecord& record) const {
  for (const ReproRecord::Input& each : record.inputs_) unlinkat(folder, each.file->c_str(), 0);
  for (const char* const name : {kGraphFile, kPluginFile, kErrorFile}) unlinkat(folder, name, 0);
  unlinkat(parent_.get(), temporary_.c_str(), AT_REMOVEDIR);
}

// While the folder is written, another process waits for the end of this one, to remove what is unfinished.
class ReproFolder::Watcher {
 public:
  Watcher(const ReproFolder& folder, const ReproRecord& record) {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    child_ = _Fork();
    if (child_ == 0) Watch(folder, record);
  }
  Watcher(const Watcher&) = delete;
  ~Watcher() {
    if (child_ > 0 && write(ends_[1], "", 1) < 0) kill(child_, SIGKILL);
    for (const int end : ends_) close(end);
    while (child_ > 0 && waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  [[noreturn]] void Watch(const ReproFolder& folder, const ReproRecord& record) const {
    setpgid(0, 0);  // what ends a group of processes need not end this one
    close(ends_[1]);
    char written = 0;
    ssize_t n = 0;
    while ((n = read(ends_[0], &written, 1)) < 0 && errno == EINTR) {
    }
    const int unfinished = openat(folder.parent_.get(), folder.temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (n == 0 && unfinished >= 0) folder.Remove(unfinished, record);
    EndChild(0);
  }

  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

ReproFolder::Outcome ReproFolder::Write(ReproRecord& record, Tell tell, const void* what) {
  if (!record.Take() || claimed_.exchange(true)) return Outcome::kLate;
  const Watcher watcher(*this, record);
  const int parent = parent_.get();
  const int folder = mkdirat(parent, temporary_.c_str(), 0777) != 0
                         ? -1
                         : openat(parent, temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool written = folder >= 0 && WriteFiles(folder, record, tell, what) &&
                 renameat(parent, temporary_.c_str(), parent, name_.c_str()) == 0;
  error_ = written ? 0 : errno;
  if (!written) Remove(folder, record);
  if (folder >= 0) close(folder);
  written_.store(written, std::memory_order_relaxed);
  return written ? Outcome::kWritten : Outcome::kFailed;
}

namespace {

// Of error.txt.
std::string TextOf(const Diagnostic& d) {
  std::string text = fmt::format("error[{}]: {}\n", d.code.text(), d.message);
  if (d.where.known()) text += fmt::format(" --> {}:{}:{}\n", d.file, d.where.begin.line, d.where.begin.column);
  for (const std::string& help : d.help) text += fmt::format("  = help: {}\n", help);
  for (const std::string& note : d.notes) text += fmt::format("  = note: {}\n", note);
  for (const StackFrame& frame : d.backtrace) text += fmt::format("      {}\n", frame.text);
  return text;
}

}  // namespace

WrittenRepro WriteRepro(const RunningNode& kept, const Diagnostic& d) {
  const std::string text = TextOf(d);
  const auto tell = [](int file, const void* what) { WriteAll(file, *static_cast<const std::string*>(what)); };
  const ReproFolder& folder = *kept.folder;
  const auto problem = [&](std::string_view begin, const std::string& reason) {
    return fmt::format("{}{}': {}", begin, folder.path(), reason);
  };
  switch (kept.folder->Write(*kept.record, tell, &text)) {
    case ReproFolder::Outcome::kWritten:
      if (const std::string& gap = kept.record->gap(); !gap.empty()) return {true, "", problem(kPartlyKept, gap)};
      return {true, folder.command() + kept.record->node().words, ""};
    case ReproFolder::Outcome::kFailed:
      return {false, "", problem(kNotKept, ErrnoText(folder.error()))};
    case ReproFolder::Outcome::kLate:
      break;
  }
  return {};
}

void Mention(const WrittenRepro& written, Diagnostic& d) {
  if (!written.command.empty()) d.help.push_back(fmt::format("{}{}", kReplayHelp, written.command));
  if (!written.problem.empty()) d.notes.push_back(written.problem);
}

}  // namespace opsrun::host
