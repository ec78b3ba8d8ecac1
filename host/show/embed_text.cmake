# Writes OUTPUT, a source file with the text of PAGE, so that opsrun report reads no files.
file(READ "${PAGE}" text)
set(source "// Made from host/show/report.html by host/show/embed_text.cmake.\n#include \"host/show/report.h\"\n\n")
string(APPEND source "namespace opsrun::host {\n\nstd::string_view ReportTemplate() {\n  return R\"page(${text})page\";\n}\n\n")
string(APPEND source "}  // namespace opsrun::host\n")
file(WRITE "${OUTPUT}" "${source}")
