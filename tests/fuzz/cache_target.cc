// tests/fuzz/cache_target.cc: the bytes of a file in the format of /etc/ld.so.cache.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/find_libraries.h"
#include "tests/fuzz/target.h"
#include "tests/host/examine/fake_elf.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

void Eat(std::string_view bytes) {
  for (const auto& [soname, paths] : ReadLinkerCache(FileBytes(bytes)))
    Require(!soname.empty() && !paths.empty() && !paths.front().empty(), "a library has a name and a path");
}

std::vector<std::string> Seeds() {
  const auto entry = [](uint32_t soname, uint32_t path) {
    return BytesOf(int32_t{0x303}) + BytesOf(soname) + BytesOf(path) + BytesOf(uint32_t{0}) + BytesOf(uint64_t{0});
  };
  const std::string texts = std::string("liba.so\0/lib/liba.so\0", 21);
  std::vector<std::string> seeds = Corpus("cache", {});
  seeds.push_back("glibc-ld.so.cache1.1" + BytesOf(uint32_t{2}) + BytesOf(uint32_t{21}) + std::string(20, '\0') +
                  entry(96, 104) + entry(96, 104) + texts);
  return seeds;
}

std::vector<std::string> Words() {
  return {"glibc-ld.so.cache1.1", BytesOf(uint32_t{96}), BytesOf(UINT32_MAX)};
}

}  // namespace

const Target kCache = {"cache", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
