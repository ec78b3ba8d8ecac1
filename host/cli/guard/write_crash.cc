// host/cli/guard/write_crash.cc: a report of a crash in all formats, without allocation.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>

#include "host/cli/guard/guard.h"
#include "host/isolate/report.h"

namespace opsrun::host {
namespace {

// Another thread may be writing a line to stderr in pieces, as err() does. Waits briefly for the end of that line: the
// thread may never get there, and this may be a signal handler.
class EndOfLine {
 public:
  EndOfLine() {
    constexpr int kTries = 50;
    constexpr timespec kPause = {0, 2'000'000};
    for (int i = 0; i < kTries && !(held_ = ftrylockfile(stderr) == 0); ++i) nanosleep(&kPause, nullptr);
  }
  EndOfLine(const EndOfLine&) = delete;
  ~EndOfLine() {
    if (held_) funlockfile(stderr);
  }

 private:
  bool held_ = false;
};

// Buffers bytes for one descriptor.
class Writer {
 public:
  explicit Writer(int descriptor) : descriptor_(descriptor) {}
  Writer(const Writer&) = delete;
  ~Writer() { Flush(); }

  Writer& operator<<(std::string_view text) {
    for (const char c : text) Put(c);
    return *this;
  }
  Writer& operator<<(int64_t number) {
    CrashText digits;
    digits << number;
    return *this << digits.view();
  }
  // Untrusted text: control characters, including U+0080 to U+009F, become "?".
  Writer& Plain(std::string_view text) {
    char before = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      const bool control = byte < 0x20 || byte == 0x7F || (before == '\xC2' && byte < 0xA0);
      Put(control ? '?' : c);
      before = c;
    }
    return *this;
  }
  // A JSON string. Bytes above ASCII are not changed: names and paths are usually UTF-8, and readers replace the rest.
  Writer& Quoted(std::string_view text) {
    Put('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') Put('\\');
      Put(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
    }
    Put('"');
    return *this;
  }

 private:
  void Put(char c) {
    if (used_ == sizeof(bytes_)) Flush();
    bytes_[used_++] = c;
  }
  void Flush() {
    size_t written = 0;
    while (written < used_) {
      const ssize_t now = write(descriptor_, bytes_ + written, used_ - written);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) break;
      written += static_cast<size_t>(now);
    }
    used_ = 0;
  }

  const int descriptor_;
  char bytes_[8192];
  size_t used_ = 0;
};

// The file from the beginning of line n; empty past the end.
std::string_view From(const SourceFile& source, uint32_t n) {
  std::string_view left = source.text;
  for (; n > 1; --n) {
    const size_t end = left.find('\n');
    if (end == std::string_view::npos) return {};
    left.remove_prefix(end + 1);
  }
  return left;
}

std::string_view LineOf(const SourceFile& source, uint32_t n) {
  const std::string_view left = From(source, n);
  return left.substr(0, left.find_first_of("\r\n"));
}

size_t Digits(uint32_t number) {
  return number < 10 ? 1 : 1 + Digits(number / 10);
}

void Blanks(Writer& out, size_t count) {
  for (; count > 0; --count) out << " ";
}

// The line with a caret under the place. Omitted if the line is too wide for a screen.
void WriteSnippet(Writer& out, const CrashDiagnostic& d, size_t gutter) {
  constexpr size_t kWidest = 120;
  const Position begin = d.where.begin, end = d.where.end;
  const std::string_view line = LineOf(*d.source, begin.line);
  if (line.empty() || line.size() > kWidest || begin.column == 0) return;
  Blanks(out, gutter);
  out << " |\n" << int64_t{begin.line} << " | ";
  out.Plain(line) << "\n";
  Blanks(out, gutter);
  out << " | ";
  const size_t last = end.line == begin.line ? std::max(end.column, begin.column + 1) : begin.column + 1;
  for (size_t column = 1; column < last && column <= line.size(); ++column) {
    if ((static_cast<unsigned char>(line[column - 1]) & 0xC0) != 0x80) out << (column < begin.column ? " " : "^");
  }
  out << "\n";
}

void WriteRemark(Writer& out, size_t gutter, std::string_view kind, const CrashText& text) {
  if (text.empty()) return;
  Blanks(out, gutter);
  out << " = " << kind << ": ";
  out.Plain(text.view()) << "\n";
}

void WriteBacktrace(Writer& out, size_t indent, const CrashDiagnostic& d) {
  for (const CrashFrame& frame : d.backtrace) {
    Blanks(out, indent);
    out.Plain(frame.text) << "\n";
  }
}

void WritePlace(Writer& out, const CrashDiagnostic& d) {
  out.Plain(d.source->path);
  if (d.where.known()) out << ":" << int64_t{d.where.begin.line} << ":" << int64_t{d.where.begin.column};
}

void WriteHuman(Writer& out, const CrashDiagnostic& d) {
  const size_t gutter = Digits(d.where.begin.line);
  out << "error[" << d.code.text() << "]: ";
  out.Plain(d.message.view()) << "\n";
  if (d.source != nullptr) {
    Blanks(out, gutter);
    out << "--> ";
    WritePlace(out, d);
    out << "\n";
    if (d.where.known()) WriteSnippet(out, d, gutter);
  }
  for (const CrashText& help : d.help) WriteRemark(out, gutter, "help", help);
  for (const CrashText& note : d.notes) WriteRemark(out, gutter, "note", note);
  if (d.backtrace.empty()) return;
  Blanks(out, gutter);
  out << " = backtrace:\n";
  WriteBacktrace(out, gutter + 5, d);
}

void WriteShort(Writer& out, const CrashDiagnostic& d) {
  if (d.source != nullptr) {
    WritePlace(out, d);
    out << ": ";
  }
  out << "error[" << d.code.text() << "]: ";
  out.Plain(d.message.view());
  if (!d.help[0].empty()) out << "; ";
  out.Plain(d.help[0].view()) << "\n";
  if (!d.backtrace.empty()) out << "  backtrace:\n";
  WriteBacktrace(out, 4, d);
}

void WritePosition(Writer& out, const SourceFile& source, const Position& place) {
  const auto before = From(source, place.line).data() - source.text.data();
  out << "{\"line\":" << int64_t{place.line} << ",\"column\":" << int64_t{place.column}
      << ",\"byte\":" << before + place.column - 1 << "}";
}

// Without those that are empty.
void WriteList(Writer& out, std::span<const CrashText> texts) {
  out << "[";
  bool is_first = true;
  for (const CrashText& text : texts) {
    if (text.empty()) continue;
    out << (is_first ? "" : ",");
    out.Quoted(text.view());
    is_first = false;
  }
  out << "]";
}

void WriteMember(Writer& out, std::string_view name, std::string_view text) {
  out << "\"" << name << "\":";
  if (text.empty()) {
    out << "null";
  } else {
    out.Quoted(text);
  }
}

void WriteBacktraceJson(Writer& out, const CrashDiagnostic& d) {
  out << ",\"backtrace\":[";
  for (const CrashFrame& frame : d.backtrace) {
    out << (&frame == d.backtrace.data() ? "{" : ",{");
    WriteMember(out, "text", frame.text);
    out << ",";
    WriteMember(out, "function", frame.function);
    out << ",";
    WriteMember(out, "file", frame.file);
    out << ",\"line\":" << (frame.line.empty() ? "null" : frame.line) << ",";
    WriteMember(out, "module", frame.module);
    out << ",\"left_out\":" << (frame.left_out.empty() ? "0" : frame.left_out) << "}";
  }
  out << "]";
}

void WriteJson(Writer& out, const CrashDiagnostic& d) {
  out << "{\"level\":\"error\",\"code\":\"" << d.code.text() << "\",\"message\":";
  out.Quoted(d.message.view()) << ",";
  WriteMember(out, "file", d.source == nullptr ? "" : d.source->path);
  out << ",\"spans\":[";
  if (d.source != nullptr && d.where.known()) {
    out << "{\"primary\":true,\"label\":\"\",\"begin\":";
    WritePosition(out, *d.source, d.where.begin);
    out << ",\"end\":";
    WritePosition(out, *d.source, d.where.end);
    out << "}";
  }
  out << "],\"suggestion\":null,\"help\":";
  WriteList(out, d.help);
  out << ",\"notes\":";
  WriteList(out, d.notes);
  if (!d.backtrace.empty()) WriteBacktraceJson(out, d);
  out << "}\n";
}

void WriteRecord(Writer& out, char letter, std::string_view text) {
  out << std::string_view(&letter, 1);
  out.Plain(text) << std::string_view("\0", 1);
}

void WriteRecords(Writer& out, const CrashDiagnostic& d) {
  WriteRecord(out, kReportMessage, d.message.view());
  CrashText line;
  line << int64_t{d.where.begin.line};
  WriteRecord(out, kReportLine, line.view());
  for (const CrashText& help : d.help) {
    if (!help.empty()) WriteRecord(out, kReportHelp, help.view());
  }
  for (const CrashText& note : d.notes) {
    if (!note.empty()) WriteRecord(out, kReportNote, note.view());
  }
  const std::string_view between(&kReportField, 1);
  for (const CrashFrame& frame : d.backtrace) {
    out << std::string_view("f", 1);
    out.Plain(frame.text) << between;
    out.Plain(frame.function) << between;
    out.Plain(frame.file) << between << frame.line << between;
    out.Plain(frame.module) << between << frame.left_out << std::string_view("\0", 1);
  }
}

std::atomic<ErrorFormat> crash_format = ErrorFormat::kHuman;
std::atomic<int> records = -1;  // the descriptor for records; -1: none are wanted

}  // namespace

void SetCrashFormat(ErrorFormat format) {
  crash_format = format;
}

void SetCrashRecords(int descriptor) {
  records = descriptor;
}

void WriteCrash(const CrashDiagnostic& d) {
  const int file = records;
  if (file < 0) return WriteCrash(STDERR_FILENO, d, crash_format);
  Writer out(file);
  WriteRecords(out, d);
}

void WriteCrash(int descriptor, const CrashDiagnostic& d, ErrorFormat format) {
  const EndOfLine end_of_line;
  Writer out(descriptor);
  switch (format) {
    case ErrorFormat::kHuman:
      return WriteHuman(out, d);
    case ErrorFormat::kShort:
      return WriteShort(out, d);
    case ErrorFormat::kJson:
      return WriteJson(out, d);
  }
}

}  // namespace opsrun::host
