// tests/host/examine/fat_bytes.h: the bytes of fat binaries, and of a file that has some.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <string>
#include <string_view>

#include "tests/host/examine/fake_elf.h"

namespace opsrun::host {

inline constexpr uint16_t kPtxImage = 1, kCubinImage = 2;

inline std::string ImageBytes(uint16_t kind, uint32_t capability, uint64_t flags = 0x11, uint64_t size = 24) {
  return BytesOf(kind) + BytesOf(uint16_t{0x101}) + BytesOf(uint32_t{64}) + BytesOf(size) + std::string(12, '\0') +
         BytesOf(capability) + std::string(8, '\0') + BytesOf(flags) + std::string(16, '\0') + std::string(24, 'i');
}

inline std::string FatBytes(std::string_view images) {
  return BytesOf(uint32_t{0xBA55ED50}) + BytesOf(uint16_t{1}) + BytesOf(uint16_t{16}) +
         BytesOf(uint64_t{images.size()}) + std::string(images);
}

// A file of three sections: none, the names, and one of this name.
inline std::string FileWithSection(std::string_view name, std::string_view content) {
  const std::string names = std::string(1, '\0') + std::string(name) + '\0';
  const uint64_t names_at = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr), content_at = names_at + names.size();
  Elf64_Ehdr header = ElfHeader();
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 1;
  const Elf64_Shdr of_names = {0, SHT_STRTAB, 0, 0, names_at, names.size(), 0, 0, 1, 0};
  const Elf64_Shdr of_content = {1, SHT_PROGBITS, 0, 0, content_at, content.size(), 0, 0, 8, 0};
  return BytesOf(header) + BytesOf(Elf64_Shdr{}) + BytesOf(of_names) + BytesOf(of_content) + names +
         std::string(content);
}

}  // namespace opsrun::host
