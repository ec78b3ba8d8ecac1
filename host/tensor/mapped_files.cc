// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/mapped_files.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>

#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

// The pages of a file, for the handler of SIGBUS. Regions are in a list that only grows, since the handler may read it
// at any time; those of files that are no longer mapped are used again.
struct Region {
  std::atomic<bool> used{true};
  std::atomic<char*> begin{nullptr};  // null: nothing is mapped
  std::atomic<size_t> bytes{0};
  std::shared_ptr<std::atomic<bool>> lost;  // only the owner changes the pointer, while begin is null
  Region* next = nullptr;
};
std::atomic<Region*> regions{nullptr};

struct sigaction earlier_handler;  // of SIGBUS
size_t page_bytes = 4096;

// Async-signal-safe. Puts zeros in the place of what cannot be read, from the page at `at` on. False if it is not ours.
bool Replace(char* at) {
  for (Region* region = regions; region != nullptr; region = region->next) {
    char* const begin = region->begin;
    if (begin == nullptr || at < begin || at >= begin + region->bytes) continue;
    const size_t page = static_cast<size_t>(at - begin) / page_bytes * page_bytes;
    *region->lost = true;
    return mmap(begin + page, region->bytes - page, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  return false;
}

extern "C" void OnBusError(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (info->si_code > 0 && Replace(static_cast<char*>(info->si_addr))) {
    errno = error;
    return;
  }
  if ((earlier_handler.sa_flags & SA_SIGINFO) != 0) return earlier_handler.sa_sigaction(signal, info, context);
  if (earlier_handler.sa_handler != SIG_DFL && earlier_handler.sa_handler != SIG_IGN)
    return earlier_handler.sa_handler(signal);
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);  // otherwise, the access is repeated
}

void HandleBusErrors() {
  static const bool installed = [] {
    page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action = {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return sigaction(SIGBUS, &action, &earlier_handler) == 0;
  }();
  static_cast<void>(installed);
}

Region& TakeRegion() {
  for (Region* region = regions; region != nullptr; region = region->next) {
    if (bool unused = false; region->used.compare_exchange_strong(unused, true)) return *region;
  }
  auto* const region = new Region;
  region->next = regions;
  while (!regions.compare_exchange_weak(region->next, region)) {
  }
  return *region;
}

void Unmap(Region& region) {
  char* const begin = region.begin.exchange(nullptr);
  munmap(begin, region.bytes);
  region.used = false;
}

bool IsWithin(std::string_view bytes, const void* at) {
  const auto* const place = static_cast<const char*>(at);
  return std::greater_equal<>()(place, bytes.data()) && std::less<>()(place, bytes.data() + bytes.size());
}

struct Pages {
  std::shared_ptr<void> memory;
  std::string_view bytes;
  MappedFile file;
};

std::optional<Pages> MapFile(const std::string& path, size_t least) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::optional<FileState> state = StateOf(file);
  if (HoldsNul(path) || !state || state->size < least || state->size > SIZE_MAX / 2) return std::nullopt;
  HandleBusErrors();
  // Private, so that nothing that is written to it gets into the file.
  void* const begin = mmap(nullptr, state->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (begin == MAP_FAILED) return std::nullopt;
  Region& region = TakeRegion();
  region.lost = std::make_shared<std::atomic<bool>>(false);
  region.bytes = state->size;
  region.begin = static_cast<char*>(begin);
  const std::shared_ptr<void> memory(begin, [&region](void*) { Unmap(region); });
  return Pages{memory, {static_cast<const char*>(begin), state->size}, {path, *state, region.lost}};
}

}  // namespace

Status MappedFile::Check() const {
  const std::optional<FileState> now = StateOf(path.c_str());
  std::string message;
  if (now && now->IsSameFile(state) && *now != state) {
    message = fmt::format("'{}' was written to while it was used: it was {}, and is {}", path, StateText(state),
                          StateText(*now));
  } else if (*lost) {
    message = fmt::format("'{}' could not be read to its end while it was used", path);
  }
  return message.empty() ? OkStatus() : Status(OPSRUN_FAILED_PRECONDITION, std::move(message), "file");
}

std::optional<Tensor> MappedFiles::Map(const std::string& path, std::optional<DType> as) {
  const std::optional<Pages> pages = MapFile(path, least_);
  if (!pages) return std::nullopt;
  const Result<NpyHeader> header = ParseNpyHeader(pages->bytes, as);
  if (!header.ok()) return std::nullopt;
  const std::string_view elements = pages->bytes.substr(header->data_offset);
  if (!FitsPages(*header, elements.data()) || !CheckNpySize(*header, elements.size()).ok()) return std::nullopt;
  Result<Tensor> tensor =
      Tensor::Over(header->dtype, header->shape, {pages->memory, const_cast<char*>(elements.data())});
  if (!tensor.ok()) return std::nullopt;
  Keep(pages->file);
  return *std::move(tensor);
}

std::optional<Result<Tensor>> MappedFiles::MapMember(const std::string& path, const std::string& key,
                                                     std::optional<DType> as) {
  std::optional<Pages> pages = MapFile(path, least_);
  if (!pages) return std::nullopt;
  Result<Tensor> tensor = ParseNpz(pages->bytes, path, key, as, pages->memory);
  if (tensor.ok() && IsWithin(pages->bytes, tensor->data())) {
    Keep(pages->file);
  } else if (*pages->file.lost) {
    return Result<Tensor>(pages->file.Check());
  }
  return tensor;
}

std::optional<std::pair<std::shared_ptr<void>, std::string_view>> MappedFiles::MapAll(const std::string& path) {
  const std::optional<Pages> pages = MapFile(path, least_);
  if (!pages) return std::nullopt;
  Keep(pages->file);
  return std::pair(pages->memory, pages->bytes);
}

void MappedFiles::Keep(MappedFile file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  files_.push_back(std::move(file));
}

Status MappedFiles::Check() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const MappedFile& file : files_) {
    if (Status status = file.Check(); !status.ok()) return status;
  }
  return OkStatus();
}

std::vector<MappedFile> MappedFiles::files() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_;
}

}  // namespace opsrun::host
