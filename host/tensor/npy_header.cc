// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeaderText = 65536;  // a rank of 64 needs less than two thousand bytes
constexpr size_t kDataAlignment = 64;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(byte));
  return text;
}

std::string Quoted(char c) {
  if (c >= ' ' && c <= '~') return fmt::format("'{}'", c);
  return fmt::format("the byte {:02x}", static_cast<unsigned char>(c));
}

// Reads the few forms of Python literals that NumPy writes. After the first error, all further steps do nothing.
class DictReader {
 public:
  DictReader(std::string_view text, std::optional<DType> as) : text_(text), as_(as) {}

  Result<NpyHeader> Read() {
    Expect('{');
    while (status_.ok() && !Accept('}')) {
      ReadEntry();
      if (!Accept(',') && !Peek('}')) Fail("',' or '}'");
    }
    SkipBlanks();
    if (status_.ok() && at_ < text_.size()) Fail("nothing more");
    if (status_.ok()) CheckComplete();
    if (!status_.ok()) return status_;
    return std::move(header_);
  }

 private:
  void ReadEntry() {
    const std::string key = ReadString();
    Expect(':');
    if (!status_.ok()) return;
    bool* const seen = key == "descr" ? &descr_ : key == "fortran_order" ? &order_ : key == "shape" ? &shape_ : nullptr;
    if (seen == nullptr)
      return Refuse(fmt::format("has the key '{}' in its header, expected descr, fortran_order and shape", key));
    if (std::exchange(*seen, true)) return Refuse(fmt::format("has the key '{}' twice in its header", key));
    if (seen == &descr_) return ReadDescr();
    if (seen == &order_) return ReadOrder();
    ReadShape();
  }

  void ReadDescr() {
    if (Peek('[')) return Refuse("has a structured data type, which is not supported; save each field to its own file");
    if (Peek('(')) return Refuse("has a data type with a shape, which is not supported; save its numbers as one array");
    const std::string descr = ReadString();
    if (!status_.ok()) return;
    Result<NpyDType> parsed = NpyDTypeFromDescr(descr, as_);
    if (parsed.ok()) {
      static_cast<NpyDType&>(header_) = *parsed;
    } else {
      status_ = parsed.status();
    }
  }

  void ReadOrder() {
    SkipBlanks();
    if (AcceptWord("True")) {
      header_.fortran_order = true;
    } else if (!AcceptWord("False")) {
      Fail("True or False");
    }
  }

  void ReadShape() {
    Expect('(');
    while (status_.ok() && !Accept(')')) {
      ReadSize();
      if (!Accept(',') && !Peek(')')) Fail("',' or ')'");
    }
  }

  void ReadSize() {
    SkipBlanks();
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
    if (error == std::errc::result_out_of_range) return Refuse("has a shape with a size beyond 64 bits");
    if (error != std::errc()) return Fail("a size");
    if (size < 0) return Refuse(fmt::format("has a shape with the negative size {}", size));
    at_ = static_cast<size_t>(end - text_.data());
    AcceptWord("L");  // the suffix of Python 2's long integers
    header_.shape.push_back(size);
    if (header_.shape.size() > OPSRUN_MAX_RANK)
      Refuse(fmt::format("has a rank above {}, the highest that opsrun supports", OPSRUN_MAX_RANK));
  }

  std::string ReadString() {
    SkipBlanks();
    if (!status_.ok()) return {};
    if (Peek('u')) ++at_;  // the prefix of Python 2's unicode strings
    if (!Peek('\'') && !Peek('"')) return Fail("a quoted string"), std::string();
    const size_t begin = at_ + 1;
    const size_t end = text_.find(text_[at_], begin);
    at_ = std::min(end, text_.size());
    if (end == std::string_view::npos) return Fail("the end of a string"), std::string();
    ++at_;
    return std::string(text_.substr(begin, end - begin));
  }

  void CheckComplete() {
    for (const auto& [seen, key] : {std::pair(descr_, "descr"), {order_, "fortran_order"}, {shape_, "shape"}}) {
      if (!seen) return Refuse(fmt::format("has no key '{}' in its header", key));
    }
  }

  void SkipBlanks() {
    constexpr std::string_view kBlanks = " \t\r\n\f";
    at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  }

  bool Peek(char c) {
    SkipBlanks();
    return status_.ok() && at_ < text_.size() && text_[at_] == c;
  }

  bool Accept(char c) {
    if (!Peek(c)) return false;
    ++at_;
    return true;
  }

  bool AcceptWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void Expect(char c) {
    if (!Accept(c)) Fail(fmt::format("'{}'", c));
  }

  void Fail(std::string_view expected) {
    const std::string found = at_ < text_.size() ? Quoted(text_[at_]) : "its end";
    Refuse(fmt::format("has a malformed header: expected {} at its byte {}, found {}", expected, at_, found));
  }

  void Refuse(std::string message) {
    if (status_.ok()) status_ = InvalidArgument(std::move(message));
  }

  std::string_view text_;
  std::optional<DType> as_;
  size_t at_ = 0;
  bool descr_ = false;
  bool order_ = false;
  bool shape_ = false;
  NpyHeader header_;
  Status status_;
};

Status CheckMagic(std::string_view file) {
  if (file.size() < kMagic.size() + 4) {
    return InvalidArgument(
        fmt::format("is not an .npy file: it has {} bytes, the smallest header has 10", file.size()));
  }
  const std::string_view found = file.substr(0, kMagic.size());
  if (found == kMagic) return OkStatus();
  const std::string_view zip = found.substr(0, 2) == "PK" ? " (a zip archive such as .npz: name an array in it)" : "";
  return InvalidArgument(
      fmt::format("is not an .npy file: it begins with {}{}, expected {}", Hex(found), zip, Hex(kMagic)));
}

uint32_t ReadLittle(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

}  // namespace

Result<NpyHeader> ParseNpyHeader(std::string_view file, std::optional<DType> as) {
  if (Status status = CheckMagic(file); !status.ok()) return status;
  const int major = static_cast<unsigned char>(file[6]);
  const int minor = static_cast<unsigned char>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return Unimplemented(fmt::format("has the .npy version {}.{}, expected 1.0, 2.0 or 3.0", major, minor));
  }
  const size_t begin = major == 1 ? 10 : 12;
  if (file.size() < begin) return InvalidArgument(fmt::format("ends after {} bytes, inside its header", file.size()));
  const size_t length = ReadLittle(file.substr(8, begin - 8));
  if (length > file.size() - begin) {
    return InvalidArgument(
        fmt::format("says that its header has {} bytes, but only {} follow", length, file.size() - begin));
  }
  if (length > kMaxHeaderText) {
    return InvalidArgument(fmt::format("has a header of {} bytes, expected at most {}", length, kMaxHeaderText));
  }
  Result<NpyHeader> header = DictReader(file.substr(begin, length), as).Read();
  if (header.ok()) header->data_offset = begin + length;
  return header;
}

Status Named(const std::string& name, const Status& status) {
  return {status.code(), fmt::format("'{}' {}", name, status.message())};
}

std::string NpyHeaderText(const std::string& descr, const Shape& shape) {
  std::string sizes;
  for (const int64_t size : shape) sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", size);
  if (shape.size() == 1) sizes += ",";
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, sizes);
  const size_t before = kMagic.size() + 4;
  const size_t total = (before + dict.size() + 1 + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  dict.resize(total - before - 1, ' ');
  dict += '\n';
  const char prefix[] = {1, 0, static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return std::string(kMagic) + std::string(prefix, sizeof prefix) + dict;
}

}  // namespace opsrun::host
