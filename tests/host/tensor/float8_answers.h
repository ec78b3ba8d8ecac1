// tests/host/tensor/float8_answers.h: what Python's ml_dtypes 0.6.0 with NumPy 2.4.6 makes of 8-bit floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace opsrun::host {

// The order of all lists.
inline constexpr const char* kFloat8Names[] = {"float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz",
                                               "float8_e5m2fnuz"};

struct Float8Answer {
  uint32_t bits;   // of a float
  uint64_t codes;  // two hexadecimal digits for each type
};

inline float NumberOf(const Float8Answer& answer) {
  float number;
  std::memcpy(&number, &answer.bits, sizeof(number));
  return number;
}
inline uint8_t CodeOf(const Float8Answer& answer, size_t type) {
  return static_cast<uint8_t>(answer.codes >> (8 * (4 - type)));
}

// numpy.float32(number).astype(T).view(numpy.uint8)
inline constexpr Float8Answer kFloat8Answers[] = {
    {0x00000000, 0x0000000000}, {0x0da24260, 0x0000000000}, {0x367fffff, 0x0000000000}, {0x36800000, 0x0000000000},
    {0x36800001, 0x0000000001}, {0x36ffffff, 0x0000000001}, {0x37000000, 0x0000000001}, {0x37000001, 0x0100000001},
    {0x373fffff, 0x0100000001}, {0x37400000, 0x0100000002}, {0x37400001, 0x0100000002}, {0x37bfffff, 0x0100000003},
    {0x37c00000, 0x0200000003}, {0x37c00001, 0x0200000003}, {0x384fffff, 0x0300000006}, {0x38500000, 0x0300000006},
    {0x38500001, 0x0300000007}, {0x387fffff, 0x0400000008}, {0x38800000, 0x0400000008}, {0x38800001, 0x0400000108},
    {0x388fffff, 0x0400000108}, {0x38900000, 0x0400000108}, {0x38900001, 0x0500000109}, {0x38cfffff, 0x060000010a},
    {0x38d00000, 0x060000010a}, {0x38d00001, 0x070000010b}, {0x390fffff, 0x080000010c}, {0x39100000, 0x080000010c},
    {0x39100001, 0x090000010d}, {0x393fffff, 0x0a0000010e}, {0x39400000, 0x0a0000020e}, {0x39400001, 0x0a0000020e},
    {0x39ffffff, 0x1000000414}, {0x3a000000, 0x1000000414}, {0x3a000001, 0x1000010414}, {0x3a4fffff, 0x1200010616},
    {0x3a500000, 0x1200010616}, {0x3a500001, 0x1300010717}, {0x3a7fffff, 0x1400010818}, {0x3a800000, 0x1400010818},
    {0x3a800001, 0x1401010818}, {0x3a87ffff, 0x1401010818}, {0x3a880000, 0x1401010818}, {0x3a880001, 0x1401010918},
    {0x3abfffff, 0x1601010c1a}, {0x3ac00000, 0x1601020c1a}, {0x3ac00001, 0x1601020c1a}, {0x3b3fffff, 0x1a0103141e},
    {0x3b400000, 0x1a0203141e}, {0x3b400001, 0x1a0203141e}, {0x3bcfffff, 0x1e03061d22}, {0x3bd00000, 0x1e03061d22},
    {0x3bd00001, 0x1f03071d23}, {0x3c07ffff, 0x2004082024}, {0x3c080000, 0x2004082024}, {0x3c080001, 0x2004092124},
    {0x3c4fffff, 0x22060d2526}, {0x3c500000, 0x22060d2526}, {0x3c500001, 0x23070d2527}, {0x3c87ffff, 0x2408102828},
    {0x3c880000, 0x2408102828}, {0x3c880001, 0x2409112928}, {0x3f87ffff, 0x3c38405840}, {0x3f880000, 0x3c38405840},
    {0x3f880001, 0x3c39415940}, {0x3f8fffff, 0x3c39415940}, {0x3f900000, 0x3c39415940}, {0x3f900001, 0x3d39415941},
    {0x41e7ffff, 0x4f5e667e53}, {0x41e80000, 0x4f5e667e53}, {0x41e80001, 0x4f5f677f53}, {0x41f7ffff, 0x505f677f54},
    {0x41f80000, 0x5060688054}, {0x41f80001, 0x5060688054}, {0x4367ffff, 0x5b767e805f}, {0x43680000, 0x5b767e805f},
    {0x43680001, 0x5b777f805f}, {0x4377ffff, 0x5c777f8060}, {0x43780000, 0x5c78808060}, {0x43780001, 0x5c78808060},
    {0x43d7ffff, 0x5f7d808063}, {0x43d80000, 0x5f7e808063}, {0x43d80001, 0x5f7e808063}, {0x43e7ffff, 0x5f7e808063},
    {0x43e80000, 0x5f7e808063}, {0x43e80001, 0x5f7f808063}, {0x474fffff, 0x7a7f80807e}, {0x47500000, 0x7a7f80807e},
    {0x47500001, 0x7b7f80807f}, {0x476fffff, 0x7b7f80807f}, {0x47700000, 0x7c7f808080}, {0x47700001, 0x7c7f808080},
    {0x7f61b1e6, 0x7c7f808080}, {0x7f800000, 0x7c7f808080}, {0xbf800000, 0xbcb8c0d8c0}, {0x80000000, 0x8080000000},
    {0xff800000, 0xfcff808080}, {0xb6800000, 0x8080000000}, {0xc3e80000, 0xdffe8080e3}, {0x8da24260, 0x8080000000},
    {0xc3700000, 0xdcf7ff80e0}, {0xc7600000, 0xfbff8080ff}, {0x7fc00000, 0x7e7f808080}};

// numpy.uint8(code).view(T).astype(numpy.float32).view(numpy.uint32) for all codes, as HashOf256 makes them one number.
inline constexpr uint64_t kFloat8Hashes[] = {0x0341711e0e6bb725, 0x08993a1ae28bb725, 0xbdb5e05c72abb725,
                                             0x15c58747f6abb725, 0x9420dea44eabb725};

template <typename ToBits>
uint64_t HashOf256(ToBits bits) {
  uint64_t hash = 14'695'981'039'346'656'037u;  // FNV-1a with words in place of bytes
  for (unsigned code = 0; code < 256; ++code) hash = (hash ^ bits(static_cast<uint8_t>(code))) * 1'099'511'628'211u;
  return hash;
}

}  // namespace opsrun::host
