// host/cli/archiver/main.cc: opsrun-archive FORMAT SECONDS, which makes an archive of the files that it reads. It is a
// program of its own: libarchive loads a dozen libraries, which would take longer than most commands.
//
// Standard input: for each member "MODE SIZE PATH", a line break, and its bytes; MODE is octal, and a path that ends in
// "/" is a folder. Standard output: the archive. FORMAT: "tar" (with gzip), "zip" or "ar"; "mtree" lists the SHA-256 of
// each file instead. SECONDS: the time of all members. They belong to root. The same input gives the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

struct Closed {
  archive* writer = archive_write_new();
  Closed() = default;
  Closed(const Closed&) = delete;
  ~Closed() { archive_write_free(writer); }
};

bool SetFormat(archive* writer, std::string_view format) {
  if (format == "tar") {
    return archive_write_add_filter_gzip(writer) == ARCHIVE_OK &&
           archive_write_set_filter_option(writer, "gzip", "timestamp", nullptr) == ARCHIVE_OK &&
           archive_write_set_format_gnutar(writer) == ARCHIVE_OK;
  }
  if (format == "zip") return archive_write_set_format_zip(writer) == ARCHIVE_OK;
  if (format == "ar") return archive_write_set_format_ar_bsd(writer) == ARCHIVE_OK;
  return format == "mtree" && archive_write_set_format_mtree(writer) == ARCHIVE_OK &&
         archive_write_set_options(writer, "mtree:!all,mtree:sha256") == ARCHIVE_OK;
}

bool AddMember(archive* writer, long mode, const std::string& path, std::string_view bytes, time_t seconds) {
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_pathname(entry, path.c_str());
  archive_entry_set_filetype(entry, path.ends_with('/') ? AE_IFDIR : AE_IFREG);
  archive_entry_set_perm(entry, static_cast<mode_t>(mode));
  archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
  archive_entry_set_mtime(entry, seconds, 0);
  archive_entry_set_uname(entry, "root");
  archive_entry_set_gname(entry, "root");
  const bool added = archive_write_header(writer, entry) == ARCHIVE_OK &&
                     archive_write_data(writer, bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size());
  archive_entry_free(entry);
  return added;
}

// Nullptr, or what is wrong.
const char* Pack(archive* writer, std::string_view format, std::string_view input, time_t seconds) {
  // One block: padding would be to the size of a tape's.
  if (!SetFormat(writer, format) || archive_write_set_bytes_in_last_block(writer, 1) != ARCHIVE_OK ||
      archive_write_open_FILE(writer, stdout) != ARCHIVE_OK)
    return archive_error_string(writer);
  while (!input.empty()) {
    const size_t line = input.find('\n');
    if (line == std::string_view::npos) return "a member without a line break";
    const std::string head(input.substr(0, line));
    input.remove_prefix(line + 1);
    char* end = nullptr;
    const long mode = std::strtol(head.c_str(), &end, 8);
    const size_t size = std::strtoull(end, &end, 10);
    if (*end != ' ' || size > input.size()) return "a member without a mode, a size or its bytes";
    if (!AddMember(writer, mode, end + 1, input.substr(0, size), seconds)) return archive_error_string(writer);
    input.remove_prefix(size);
  }
  return archive_write_close(writer) == ARCHIVE_OK ? nullptr : archive_error_string(writer);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("opsrun-archive is started by opsrun, to make packages\n", stderr);
    return 2;
  }
  setenv("TZ", "UTC", 1);  // a zip file has local times
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  const Closed archive;
  const char* const error = Pack(archive.writer, argv[1], input, std::strtoll(argv[2], nullptr, 10));
  if (error == nullptr && std::fflush(stdout) == 0) return 0;
  std::fprintf(stderr, "%s\n", error != nullptr ? error : "standard output cannot be written");
  return 1;
}
