// host/cli/unwinder/unwind.cc: elfutils' libdw. It reads whatever files a plugin consists of, so it runs in a process
// that nobody depends on.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/unwinder/unwind.h"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace opsrun::host {
namespace {

// A line of /proc/PID/maps: "begin-end rwxp offset device inode    path".
struct Mapping {
  uint64_t begin = 0, end = 0;
  uint64_t offset = 0;
  bool writable = false, executable = false;
  std::string_view path;
};

std::optional<Mapping> ParseMapping(std::string_view line) {
  Mapping mapping;
  const char* const last = line.data() + line.size();
  const char* at = std::from_chars(line.data(), last, mapping.begin, 16).ptr;
  if (at == line.data() || at == last || *at != '-') return std::nullopt;
  at = std::from_chars(at + 1, last, mapping.end, 16).ptr;
  constexpr ptrdiff_t kMode = 6;  // " rwxp "
  if (last - at < kMode) return std::nullopt;
  mapping.writable = at[2] == 'w';
  mapping.executable = at[3] == 'x';
  std::from_chars(at + kMode, last, mapping.offset, 16);
  if (const size_t path = line.find('/'); path != std::string_view::npos) mapping.path = line.substr(path);
  return mapping;
}

// Of a symbol, which may be versioned: "usleep@GLIBC_2.2.5".
std::string Demangled(const char* symbol) {
  const std::string whole(symbol), unversioned = whole.substr(0, whole.find('@'));
  const char* const name = unversioned.c_str();
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &failed), std::free);
  return failed == 0 && text != nullptr ? text.get() : name;
}

// Of a function or an inlined call.
std::string NameOf(Dwarf_Die& scope) {
  Dwarf_Attribute attribute;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* const mangled = dwarf_formstring(dwarf_attr_integrate(&scope, which, &attribute));
    if (mangled != nullptr) return Demangled(mangled);
  }
  const char* const name = dwarf_diename(&scope);
  return name == nullptr ? "" : name;
}

uint64_t NumberOf(Dwarf_Die& scope, unsigned which) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  return dwarf_formudata(dwarf_attr(&scope, which, &attribute), &number) == 0 ? number : 0;
}

struct FreeScopes {
  void operator()(Dwarf_Die* scopes) const { std::free(scopes); }
};
using Scopes = std::unique_ptr<Dwarf_Die, FreeScopes>;

}  // namespace

struct Unwinder::State {
  State(const CapturedThread& thread, std::string_view stack, std::string_view maps) : thread(thread), stack(stack) {
    callbacks.find_elf = FindElf;
    callbacks.find_debuginfo = dwfl_standard_find_debuginfo;
    session = dwfl_begin(&callbacks);
    if (session != nullptr) ReportModules(maps);
  }
  State(const State&) = delete;
  ~State() {
    if (session != nullptr) dwfl_end(session);
  }

  void ReportModules(std::string_view maps) {
    std::vector<Mapping> modules;
    while (!maps.empty()) {
      const size_t end = std::min(maps.find('\n'), maps.size());
      const std::optional<Mapping> mapping = ParseMapping(maps.substr(0, end));
      maps.remove_prefix(std::min(end + 1, maps.size()));
      if (!mapping) continue;
      if (mapping->executable) code.push_back(*mapping);
      if (mapping->path.empty()) continue;
      const bool begins = mapping->offset == 0 && !mapping->writable;  // the file may be mapped twice
      if (modules.empty() || modules.back().path != mapping->path || begins) {
        modules.push_back(*mapping);
      } else {
        modules.back().end = mapping->end;
        modules.back().executable |= mapping->executable;
      }
    }
    dwfl_report_begin(session);
    for (const Mapping& module : modules) {
      if (!module.executable) continue;
      Dwfl_Module* const reported =
          dwfl_report_module(session, std::string(module.path).c_str(), module.begin, module.end);
      void** userdata = nullptr;
      if (reported == nullptr) continue;
      dwfl_module_info(reported, &userdata, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      *userdata = this;
    }
    dwfl_report_end(session, nullptr, nullptr);
  }

  // A path that ends in " (deleted)" is not found.
  static int FindElf(Dwfl_Module*, void** userdata, const char* name, Dwarf_Addr, char** file_name, Elf**) {
    const auto& self = *static_cast<const State*>(*userdata);
    const int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status = {};
    if (file < 0) return -1;
    const bool usable = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && !self.IsLater(status.st_mtim);
    if (!usable) {
      close(file);
      return -1;
    }
    *file_name = strdup(name);
    return file;
  }

  bool IsLater(const timespec& written) const {
    return written.tv_sec != thread.began_s ? written.tv_sec > thread.began_s : written.tv_nsec > thread.began_ns;
  }

  bool IsCode(uint64_t address) const {
    return std::any_of(code.begin(), code.end(),
                       [&](const Mapping& each) { return address >= each.begin && address < each.end; });
  }

  bool Read(uint64_t address, uint64_t* word) const {
    const uint64_t at = address - thread.stack_begin;
    if (stack.size() < sizeof(*word) || at > stack.size() - sizeof(*word)) return false;
    std::memcpy(word, stack.data() + at, sizeof(*word));
    return true;
  }

  static pid_t NextThread(Dwfl*, void* self, void** thread) {
    if (*thread != nullptr) return 0;
    *thread = self;
    return static_cast<pid_t>(static_cast<State*>(self)->thread.process);
  }

  static bool ReadMemory(Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void* self) {
    return static_cast<State*>(self)->Read(address, word);
  }

  static bool SetRegisters(Dwfl_Thread* thread, void* self) {
    const CapturedThread& of = static_cast<State*>(self)->thread;
    dwfl_thread_state_register_pc(thread, of.pc);
    const std::vector<Dwarf_Word> registers(std::begin(of.registers), std::end(of.registers));
    return dwfl_thread_state_registers(thread, 0, CapturedThread::kRegisters, registers.data());
  }

  struct Frames {
    std::vector<uint64_t> addresses;
    size_t most = 0;
  };
  static int AddFrame(Dwfl_Frame* frame, void* to) {
    auto& frames = *static_cast<Frames*>(to);
    Dwarf_Addr pc = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
    // A return address may be that of the next function or line.
    frames.addresses.push_back(pc - (is_activation || pc == 0 ? 0 : 1));
    return frames.addresses.size() < frames.most ? DWARF_CB_OK : DWARF_CB_ABORT;
  }

  // A call of something that is not code: goes back to the caller.
  void LeaveWildCall() {
#if defined(__x86_64__)
    uint64_t& stack_pointer = thread.registers[CapturedThread::kStackPointer];
    uint64_t caller = 0;
    if (IsCode(thread.pc) || !Read(stack_pointer, &caller) || !IsCode(caller)) return;
    stack_pointer += sizeof(caller);
    thread.registers[CapturedThread::kRegisters - 1] = caller - 1;
    thread.pc = caller - 1;
#else
    constexpr size_t kLink = 30;
    if (!IsCode(thread.pc) && IsCode(thread.registers[kLink])) thread.pc = thread.registers[kLink] - 4;
#endif
  }

  // The innermost function at the address and, around it, those that it is inlined into.
  void AddScopes(Dwfl_Module* module, uint64_t address, NamedFrame frame, std::vector<NamedFrame>& frames) const {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Die* found = nullptr;
    int count = unit == nullptr ? 0 : dwarf_getscopes(unit, address - bias, &found);
    Scopes scopes(found);
    if (count <= 0) return;
    Dwarf_Die innermost = *found;  // beyond an inlined call, those were the scopes of its declaration
    found = nullptr;
    count = dwarf_getscopes_die(&innermost, &found);
    scopes.reset(found);
    Dwarf_Files* files = nullptr;
    size_t n_files = 0;
    dwarf_getsrcfiles(unit, &files, &n_files);
    for (int i = 0; i < count; ++i) {
      Dwarf_Die& scope = scopes.get()[i];
      const int tag = dwarf_tag(&scope);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
      frame.function = NameOf(scope);
      frames.push_back(frame);
      if (tag == DW_TAG_subprogram) return;
      const uint64_t file = NumberOf(scope, DW_AT_call_file);
      const char* const name = file < n_files ? dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
      frame.file = name == nullptr ? "" : name;
      frame.line = name == nullptr ? 0 : static_cast<int>(NumberOf(scope, DW_AT_call_line));
    }
  }

  CapturedThread thread;
  const std::string_view stack;
  std::vector<Mapping> code;
  Dwfl_Callbacks callbacks = {};
  Dwfl* session = nullptr;
};

Unwinder::Unwinder(const CapturedThread& thread, std::string_view stack, std::string_view maps)
    : state_(std::make_unique<State>(thread, stack, maps)) {}

Unwinder::~Unwinder() = default;

std::vector<uint64_t> Unwinder::Addresses(size_t most) {
  static constexpr Dwfl_Thread_Callbacks kCallbacks = {State::NextThread,   nullptr, State::ReadMemory,
                                                       State::SetRegisters, nullptr, nullptr};
  State::Frames frames;
  frames.most = most;
  const auto process = static_cast<pid_t>(state_->thread.process);
  state_->LeaveWildCall();
  if (state_->session != nullptr && dwfl_attach_state(state_->session, nullptr, process, &kCallbacks, state_.get()))
    dwfl_getthread_frames(state_->session, process, State::AddFrame, &frames);
  if (frames.addresses.empty()) frames.addresses.push_back(state_->thread.pc);
  return std::move(frames.addresses);
}

std::string Unwinder::ModuleOf(uint64_t address) const {
  Dwfl_Module* const module = state_->session == nullptr ? nullptr : dwfl_addrmodule(state_->session, address);
  return module == nullptr ? ""
                           : dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
}

std::vector<NamedFrame> Unwinder::NamesOf(uint64_t address) const {
  NamedFrame frame;
  frame.module = ModuleOf(address);
  frame.offset = address;
  if (frame.module.empty()) return {frame};
  Dwfl_Module* const module = dwfl_addrmodule(state_->session, address);
  Dwarf_Addr begin = 0, bias = 0;
  dwfl_module_info(module, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr);
  frame.offset = address - (dwfl_module_getelf(module, &bias) == nullptr ? begin : bias);
  if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
    const char* const file = dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr);
    frame.file = file == nullptr ? "" : file;
  }
  std::vector<NamedFrame> frames;
  state_->AddScopes(module, address, frame, frames);
  if (frames.empty()) frames.push_back(frame);
  // Debug information has no types of parameters for what is local to a file.
  GElf_Sym symbol;
  GElf_Off offset = 0;
  const char* const name = dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name != nullptr) frames.back().function = Demangled(name);
  return frames;
}

}  // namespace opsrun::host
