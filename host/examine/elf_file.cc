// host/examine/elf_file.cc: the headers, the checks and the notes.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/elf_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "host/base/text.h"

namespace opsrun::host {
namespace {

static_assert(std::endian::native == std::endian::little, "the contract's notes are little-endian");

constexpr size_t kMaxSegments = 256;
constexpr char kCopyAgain[] = "copy it again";
constexpr char kBuildAgain[] = "build it again, or copy it again";

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kThisMachine = EM_RISCV;
#else
#error "name this machine's ELF number here, and its name in kMachines"
#endif

struct MachineNumber {
  uint16_t number;
  const char* name;
};
constexpr MachineNumber kMachines[] = {
    {EM_X86_64, "x86-64"}, {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"}, {EM_386, "i386"},
    {EM_ARM, "ARM"},       {EM_PPC64, "PowerPC64"}, {EM_S390, "S/390"},   {EM_LOONGARCH, "LoongArch"}};

std::string MachineName(uint16_t machine) {
  for (const auto& [number, name] : kMachines) {
    if (number == machine) return name;
  }
  return fmt::format("machine {}", machine);
}

Refusal Truncated(uint64_t size, std::string_view what, uint64_t needed) {
  return {fmt::format("the file is truncated: it has {} bytes, its {} {}", size, what, needed), kCopyAgain};
}

}  // namespace

ElfFile::ElfFile(const FileBytes& bytes) : bytes_(bytes) {
  char magic[EI_NIDENT] = {};
  is_elf_ = bytes.Read(0, SELFMAG, magic) && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
  if (!is_elf_ || !bytes.Read(0, sizeof(header_), &header_)) return;
  native_ = header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB;
  mapped_ = native_ && ReadHeaders();
}

bool ElfFile::ReadHeaders() {
  if (header_.e_phnum == 0) return true;
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum > kMaxSegments) return false;
  segments_.resize(header_.e_phnum);
  if (bytes_.Read(header_.e_phoff, segments_.size() * sizeof(Elf64_Phdr), segments_.data())) return true;
  segments_.clear();
  return false;
}

std::optional<Refusal> ElfFile::Problem() const {
  if (bytes_.size() < sizeof(header_)) return Truncated(bytes_.size(), "ELF header needs", sizeof(header_));
  if (auto problem = HeaderProblem()) return problem;
  return SegmentProblem();
}

std::optional<Refusal> ElfFile::HeaderProblem() const {
  constexpr char kForThisMachine[] = "build it for this machine";
  if (header_.e_ident[EI_CLASS] == ELFCLASS32)
    return Refusal{"built for 32 bits, but this opsrun has 64", kForThisMachine};
  if (header_.e_ident[EI_DATA] == ELFDATA2MSB) {
    return Refusal{"built for a big-endian machine, but this one is little-endian", kForThisMachine};
  }
  if (!native_ || header_.e_ident[EI_VERSION] != EV_CURRENT) return Refusal{"its ELF header is damaged", kCopyAgain};
  if (header_.e_machine != kThisMachine) {
    return Refusal{
        fmt::format("built for {}, but this machine is {}", MachineName(header_.e_machine), MachineName(kThisMachine)),
        kForThisMachine};
  }
  if (header_.e_type == ET_REL) return Refusal{"an object file, not a shared library", "link it with -shared"};
  if (header_.e_type != ET_DYN) return Refusal{"not a shared library", "link it with -shared"};
  if (mapped_) return std::nullopt;
  uint64_t table = static_cast<uint64_t>(header_.e_phnum) * sizeof(Elf64_Phdr);
  bool plausible = header_.e_phentsize == sizeof(Elf64_Phdr) && header_.e_phnum <= kMaxSegments;
  if (plausible && header_.e_phoff < UINT64_MAX / 2) {
    return Truncated(bytes_.size(), "program headers need", header_.e_phoff + table);
  }
  return Refusal{"its program headers are damaged", kCopyAgain};
}

std::optional<Refusal> ElfFile::SegmentProblem() const {
  uint64_t needed = 0;
  bool loads = false, dynamic = false, executable_stack = false;
  for (const Elf64_Phdr& segment : segments_) {
    dynamic |= segment.p_type == PT_DYNAMIC;
    executable_stack |= segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X) != 0;
    if (segment.p_type != PT_LOAD) continue;
    loads = true;
    uint64_t end = 0;
    if (__builtin_add_overflow(segment.p_offset, segment.p_filesz, &end) || segment.p_filesz > segment.p_memsz) {
      return Refusal{"the bounds of its segments are impossible", kCopyAgain};
    }
    needed = std::max(needed, end);
  }
  if (needed > bytes_.size()) return Truncated(bytes_.size(), "segments need", needed);
  if (!loads || !dynamic) return Refusal{"it has no segments that could be loaded", kBuildAgain};
  if (executable_stack) {
    return Refusal{"it asks for an executable stack, which newer systems do not load", "link it with -z noexecstack"};
  }
  return std::nullopt;
}

// Reading the notes of an ELF file.

namespace {

constexpr size_t kMaxNotes = 200'000;
constexpr size_t kMaxSections = 16'384;

uint64_t Align4(uint64_t n) {
  return (n + 3) & ~uint64_t{3};
}

uint32_t Word(std::string_view bytes, uint64_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

// True if the owner's name, including its NUL, occurs in the bytes.
bool Mentions(std::string_view bytes, std::string_view owner) {
  return bytes.find(std::string(owner) + '\0') != std::string_view::npos;
}

}  // namespace

// Notes are padded to 4 bytes whatever the segment's alignment: those with an alignment of 8 have sizes that suit both.
void ParseNotes(std::string_view bytes, std::string_view owner, ElfNotes* found) {
  uint64_t at = 0;
  while (bytes.size() - at >= sizeof(Elf64_Nhdr)) {
    uint64_t name_size = Word(bytes, at), content_size = Word(bytes, at + 4);
    if (name_size == 0) {
      at += 4;  // linkers fill gaps between note sections with zeros; notes without an owner are skipped
      continue;
    }
    uint64_t name = at + sizeof(Elf64_Nhdr), content = name + Align4(name_size), end = content + content_size;
    if (end > bytes.size() || found->notes.size() >= kMaxNotes) {
      found->damaged |= Mentions(bytes.substr(at), owner);
      return;
    }
    if (bytes.substr(name, name_size) == std::string_view(std::string(owner) + '\0')) {
      found->notes.push_back({Word(bytes, at + 8), std::string(bytes.substr(content, content_size))});
    }
    at = std::min<uint64_t>(Align4(end), bytes.size());
  }
}

uint64_t HashOf(const ElfNotes& notes) {
  ContentHash hash;
  for (const ElfNotes::Note& note : notes.notes) {
    const uint32_t head[] = {note.type, static_cast<uint32_t>(note.content.size())};
    hash.Add({reinterpret_cast<const char*>(head), sizeof(head)});
    hash.Add(note.content);
  }
  return hash.value();
}

std::string BuildIdOf(const ElfNotes& notes) {
  constexpr uint32_t kBuildIdNote = 3;
  std::string text;
  for (const ElfNotes::Note& note : notes.notes) {
    if (note.type != kBuildIdNote) continue;
    text.clear();
    for (const char byte : note.content) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

ElfNotes ElfFile::NotesOf(std::string_view owner) const {
  ElfNotes found;
  if (native_) {
    NotesOfSegments(owner, &found);
    if (found.notes.empty() && !found.damaged) NotesOfSections(owner, &found);
    return found;
  }
  std::string bytes;
  bytes_.Read(0, std::min(bytes_.size(), kMaxNoteBytes), &bytes);
  found.damaged = Mentions(bytes, owner);
  found.unseen = bytes_.size() < sizeof(header_);
  return found;
}

void ElfFile::NotesOfSegments(std::string_view owner, ElfNotes* found) const {
  found->unseen = !mapped_;
  uint64_t left = kMaxNoteBytes;
  std::string bytes;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    if (segment.p_filesz > left || !bytes_.Read(segment.p_offset, segment.p_filesz, &bytes)) {
      found->unseen = true;
      continue;
    }
    left -= segment.p_filesz;
    ParseNotes(bytes, owner, found);
  }
}

// A truncated file has lost the section headers at its end.
std::vector<Elf64_Shdr> ElfFile::Sections() const {
  if (!native_ || header_.e_shentsize != sizeof(Elf64_Shdr) || header_.e_shnum > kMaxSections) return {};
  std::vector<Elf64_Shdr> sections(header_.e_shnum);
  if (!bytes_.Read(header_.e_shoff, sections.size() * sizeof(Elf64_Shdr), sections.data())) return {};
  return sections;
}

void ElfFile::NotesOfSections(std::string_view owner, ElfNotes* found) const {
  uint64_t left = kMaxNoteBytes;
  std::string bytes;
  for (const Elf64_Shdr& section : Sections()) {
    if (section.sh_type != SHT_NOTE || section.sh_size > left) continue;
    left -= section.sh_size;
    if (bytes_.Read(section.sh_offset, section.sh_size, &bytes)) ParseNotes(bytes, owner, found);
  }
}

// Returns the number of bytes read; fewer than n at the end of the file or after an error.
size_t FileBytes::ReadAt(uint64_t offset, size_t n, char* to) const {
  size_t done = 0;
  while (done < n) {
    ssize_t got = pread(fd_, to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_ = errno;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

FileBytes::FileBytes(std::string_view memory) : size_(memory.size()), memory_(memory) {}

FileBytes::FileBytes(int fd, uint64_t size) : fd_(fd), size_(size) {
  head_size_ = ReadAt(0, std::min<uint64_t>(size, head_.size()), head_.data());
}

bool FileBytes::Read(uint64_t offset, size_t n, void* to) const {
  if (!Holds(offset, n)) return false;
  if (n == 0) return true;
  if (fd_ < 0) {
    std::memcpy(to, memory_.data() + offset, n);
    return true;
  }
  if (offset + n <= head_size_) {
    std::memcpy(to, head_.data() + offset, n);
    return true;
  }
  return ReadAt(offset, n, static_cast<char*>(to)) == n;
}

bool FileBytes::Read(uint64_t offset, size_t n, std::string* to) const {
  if (!Holds(offset, n)) return false;
  to->resize(n);
  return Read(offset, n, to->data());
}

std::string FileBytes::ReadText(uint64_t offset, size_t max) const {
  std::string text;
  if (offset >= size_ || !Read(offset, std::min<uint64_t>(max, size_ - offset), &text)) return {};
  size_t end = text.find('\0');
  return end == std::string::npos ? std::string() : text.substr(0, end);
}

// Without O_NONBLOCK, opening a FIFO would wait for a writer.
OpenedBytes::OpenedBytes(const std::string& path)
    : file_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    error_ = errno;
    return;
  }
  struct stat status = {};
  if (fstat(file_.get(), &status) != 0) error_ = errno;
  is_directory_ = S_ISDIR(status.st_mode);
  if (S_ISREG(status.st_mode)) bytes_.emplace(file_.get(), static_cast<uint64_t>(status.st_size));
}

}  // namespace opsrun::host
