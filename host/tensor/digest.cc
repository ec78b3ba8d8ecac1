// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/digest.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

#include "host/base/file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace opsrun::host {
namespace {

constexpr size_t kMostCollected = 4096;

}  // namespace

struct Digest::State {
  XXH3_state_t of = {};
};

Digest::Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest::~Digest() = default;

void Digest::Add(std::string_view bytes) {
  const uint64_t size = bytes.size();
  Update({reinterpret_cast<const char*>(&size), sizeof size});
  Update(bytes);
}

Status Digest::AddFile(const std::string& path) {
  const std::optional<FileState> state = StateOf(path.c_str());
  if (!state) return CannotRead(path, errno);
  Update({reinterpret_cast<const char*>(&state->size), sizeof state->size});
  return UpdateFromFile(path);
}

Status Digest::UpdateFromFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, errno);
  std::string piece(size_t{1} << 20, '\0');
  do {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    Update({piece.data(), static_cast<size_t>(file.gcount())});
  } while (file);
  return file.bad() ? CannotRead(path, EIO) : OkStatus();
}

// Few bytes need no state, which takes longer to make than they do.
void Digest::Update(std::string_view bytes) {
  if (collected_.size() + bytes.size() <= kMostCollected) {
    collected_ += bytes;
    return;
  }
  if (state_ == nullptr) {
    state_ = std::make_unique<State>();
    XXH3_128bits_reset(&state_->of);
  }
  XXH3_128bits_update(&state_->of, collected_.data(), collected_.size());
  XXH3_128bits_update(&state_->of, bytes.data(), bytes.size());
  collected_.clear();
}

void Digest::Add(const Tensor& tensor) {
  Add(DTypeName(tensor.dtype()));
  Add(ShapeText(tensor.shape()));
  if (tensor.dtype() != DType::kString) return Add({static_cast<const char*>(tensor.data()), tensor.num_bytes()});
  for (int64_t i = 0; i < tensor.num_elements(); ++i) Add(tensor.string(i));
}

std::string Digest::Hex() {
  if (state_ != nullptr) {
    XXH3_128bits_update(&state_->of, collected_.data(), collected_.size());
    collected_.clear();
  }
  const XXH128_hash_t hash =
      state_ == nullptr ? XXH3_128bits(collected_.data(), collected_.size()) : XXH3_128bits_digest(&state_->of);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Result<std::string> DigestOfFile(const std::string& path) {
  Digest digest;
  if (Status read = digest.UpdateFromFile(path); !read.ok()) return read;
  return digest.Hex();
}

}  // namespace opsrun::host
