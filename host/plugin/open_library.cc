// host/plugin/open_library.cc: Boost.DLL, and the call of the entry.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/open_library.h"

#define BOOST_DLL_USE_STD_FS
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "host/base/plugin_code.h"
#include "host/base/status.h"
#include "host/plugin/checked_read.h"
#include "host/plugin/load.h"
#include "host/plugin/loader_message.h"
#include "host/plugin/plain_text.h"
#include "host/plugin/why_not_mapped.h"

namespace opsrun::host {
namespace {

using boost::dll::shared_library;
namespace load_mode = boost::dll::load_mode;

constexpr uint64_t kMaxFailText = 64 * 1024;

// Why the entry that is running on this thread fails. Null while none runs. Of the thread, since the contract gives an
// entry no object to pass to fail and log.
struct EntryFailure {
  const opsrun_host* host = nullptr;
  bool recorded = false;
  int32_t code = OPSRUN_OK;
  std::string text;
};
thread_local EntryFailure* running_entry = nullptr;

// The part of Boost's sentence that dlerror wrote.
std::string_view LoaderMessage(std::string_view what) {
  constexpr std::string_view kMark = "(dlerror system message: ";
  size_t begin = what.find(kMark), end = what.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos) return what;
  begin += kMark.size();
  return what.substr(begin, end - begin);
}

// dlsym also searches the libraries that this one needs.
std::optional<Refusal> CheckOwner(void* handle, opsrun_entry_fn entry) {
  link_map* own = nullptr;
  link_map* owner = nullptr;
  Dl_info info = {};
  bool known = dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 &&
               dladdr1(reinterpret_cast<void*>(entry), &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) != 0;
  if (known && own == owner) return std::nullopt;
  return Refusal{
      fmt::format("it has no entry {} of its own; the one found belongs to {}", OPSRUN_ENTRY_NAME,
                  info.dli_fname != nullptr ? info.dli_fname : "another file"),
      "do not hide the entry with a version script, or link the files that include the SDK into this library"};
}

std::optional<Refusal> FindEntry(shared_library& file, OpenedLibrary* library) {
  if (!file.has(OPSRUN_ENTRY_NAME)) {
    return Refusal{fmt::format("it does not export {}", OPSRUN_ENTRY_NAME),
                   "do not hide the entry with a version script, and define it if the plugin is written in C"};
  }
  library->entry = &file.get<const opsrun_plugin*(const opsrun_host*)>(OPSRUN_ENTRY_NAME);
  if (auto refusal = CheckOwner(file.native(), library->entry)) return refusal;
  library->segments = SegmentsAround(reinterpret_cast<void*>(library->entry));
  if (library->segments.HoldsCode(reinterpret_cast<uintptr_t>(library->entry))) return std::nullopt;
  return Refusal{fmt::format("its {} is not a function", OPSRUN_ENTRY_NAME),
                 "call nothing else by that name, and build it again with the opsrun SDK"};
}

Refusal Refused(std::string_view thrower, Thrown thrown) {
  if (!IsPlainText(thrown.text)) thrown.text.clear();
  return {fmt::format("{} {}", thrower, thrown.Sentence()),
          "report it to the plugin's author: no exception may leave a plugin"};
}

Refusal EntryFailed(const EntryFailure& failure) {
  if (!failure.recorded) {
    return {"its entry returned no table and no reason",
            "report it to the plugin's author: the entry must call host->fail before it returns NULL"};
  }
  return {fmt::format("it refuses to start: {} ({})", failure.text, CodeName(failure.code)),
          "do what its message asks for"};
}

}  // namespace

std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library) {
  const auto mode = static_cast<load_mode::type>(load_mode::rtld_now | load_mode::rtld_local | RTLD_NODELETE);
  try {
    shared_library file(path, mode);  // its destructor unloads nothing: RTLD_NODELETE
    return FindEntry(file, library);
  } catch (const boost::dll::fs::system_error& error) {
    const std::string_view message = LoaderMessage(error.what());
    const std::optional<Refusal> refusal = WhyNotMapped(message, path);
    return refusal ? refusal : ExplainLoaderMessage(message, path, needed);
  } catch (const std::exception& error) {
    return Refused("its static constructors", Thrown{error.what()});
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return Refused("its static constructors", Thrown{});
  }
}

std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table) {
  EntryFailure failure;
  failure.host = host;
  EntryFailure* outer = std::exchange(running_entry, &failure);
  const std::optional<Thrown> thrown = CatchThrown([&] { *table = entry(host); });
  running_entry = outer;
  if (thrown) return Refused("its entry", *thrown);
  if (*table == nullptr) return EntryFailed(failure);
  return std::nullopt;
}

int32_t FailEntry(int32_t code, opsrun_str text) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  if (running_entry == nullptr || running_entry->recorded) return code;
  std::string copy(std::min(text.size, kMaxFailText), '\0');
  bool readable = CheckedRead(text.data, copy.size(), copy.data()) && IsPlainText(copy);
  *running_entry = {running_entry->host, true, code, readable ? std::move(copy) : "(its text cannot be read)"};
  return code;
}

const opsrun_host* HostOfEntry() {
  return running_entry == nullptr ? nullptr : running_entry->host;
}

}  // namespace opsrun::host
