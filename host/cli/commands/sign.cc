// host/cli/commands/sign.cc: opsrun keygen and opsrun sign, in the formats of minisign. No code of a plugin runs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>

#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/examine/signature.h"
#include "host/plugin/ops_file.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostBytes = 64 << 10;
constexpr char kInterrupt = 3;  // Ctrl-C

// While it lives, the terminal does not show what is typed, and Ctrl-C ends a line instead of the program, which would
// leave the terminal like that.
class HiddenTyping {
 public:
  HiddenTyping() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    hidden.c_cc[VEOL] = kInterrupt;
    changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
  }
  HiddenTyping(const HiddenTyping&) = delete;
  ~HiddenTyping() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }

 private:
  termios before_ = {};
  bool changed_ = false;
};

// A line from the terminal, or of standard input if that is not one.
Result<std::string> ReadPassword(const char* question) {
  const bool asks = isatty(STDIN_FILENO) != 0;
  if (asks) std::fputs(question, stderr);
  const HiddenTyping hidden;
  std::string line;
  char c = 0;
  while (line.size() < kMostBytes && read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
    if (asks && c == kInterrupt) return InvalidArgument("no password was typed");
    line += c;
  }
  if (asks) std::fputs("\n", stderr);
  if (line.empty()) return InvalidArgument("no password was typed");
  return line;
}

int ReportKey(const std::string& file, const Status& status, Console& console) {
  const bool absent = status.code() == OPSRUN_UNIMPLEMENTED;
  return console.Report(MakeError("P110",
                                  file.empty() ? status.message() : fmt::format("'{}': {}", file, status.message()),
                                  absent ? "install libsodium-dev and build opsrun again"
                                         : "use a secret key of minisign -G or opsrun keygen, and its password"));
}

// readers: the bits that the mode may have.
Status WriteFor(mode_t readers, const std::string& path, const std::string& text) {
  const mode_t before = umask(~readers & 0777);
  Result<AtomicFile> file = AtomicFile::Create(path);
  umask(before);
  if (!file.ok()) return file.status();
  Status status = file->Write(text.data(), text.size());
  return status.ok() ? file->Commit() : status;
}

class SignCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Arguments(files_, "FILE.so", 1, Options::kAny);
    options.Text("--key FILE", key_, "the secret key: of opsrun keygen, or of minisign -G");
    options.Text("--comment TEXT", comment_, "a line that is signed too; the default is the time and the file's name");
  }

  int Execute(const CommonOptions&, Console& console) override {
    if (key_.empty()) return console.Report(MakeError("U003", "opsrun sign needs --key", SeeHelp("sign")));
    if (!IsPlainName(comment_) && !comment_.empty())
      return console.Report(MakeError("U005", "--comment must be one line of text", SeeHelp("sign")));
    const Result<SecretKey> key = ReadKey();
    if (!key.ok()) return ReportKey(key_, key.status(), console);
    for (const std::string& file : files_) {
      if (const int code = SignOne(file, *key, console); code != kExitOk) return code;
      const std::string beside = OpsFileOf(file);
      std::error_code error;
      if (!std::filesystem::exists(beside, error)) continue;
      if (const int code = SignOne(beside, *key, console); code != kExitOk) return code;
    }
    return kExitOk;
  }

 private:
  Result<SecretKey> ReadKey() const {
    const Result<std::string> text = ReadFile(key_, kMostBytes);
    if (!text.ok()) return text.status();
    const Result<SealedKey> sealed = ParseSecretKey(*text);
    if (!sealed.ok()) return sealed.status();
    if (!sealed->encrypted) return OpenKey(*sealed, "");
    const Result<std::string> password = ReadPassword("Password: ");
    return password.ok() ? OpenKey(*sealed, *password) : password.status();
  }

  int SignOne(const std::string& file, const SecretKey& key, Console& console) const {
    if (!CanRead(file, console)) return kExitPlugins;
    const OpenedBytes opened(file);
    if (opened.bytes() == nullptr)
      return console.Report(MakeError("P102", fmt::format("cannot read '{}': it is not a regular file", file)));
    const std::string name = std::filesystem::path(file).filename().string();
    const std::string comment =
        comment_.empty() ? fmt::format("timestamp:{}\tfile:{}\thashed", std::time(nullptr), name) : comment_;
    const Result<FileSignature> signature = Sign(*opened.bytes(), key, comment);
    if (!signature.ok()) return ReportKey("", signature.status(), console);
    const std::string path = SignatureFileOf(file);
    const Status status = WriteFor(0644, path, SignatureText(*signature, "signature from opsrun sign"));
    if (!status.ok()) return console.Report(MakeError("R504", status.message(), "make the directory writable"));
    console.Ok(fmt::format("signed {} with key {}: {}", file, KeyIdText(key.id), path));
    return kExitOk;
  }

  std::vector<std::string> files_;
  std::string key_, comment_;
};

class KeygenCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Argument(name_, "NAME", true);
    options.Flag("--no-password", no_password_, "do not encrypt the secret key");
  }

  int Execute(const CommonOptions&, Console& console) override {
    const std::string secret = name_ + ".key", open = name_ + ".pub";
    std::error_code error;
    for (const std::string& file : {secret, open}) {
      if (std::filesystem::exists(file, error))
        return console.Report(
            MakeError("R504", fmt::format("'{}' exists", file), "use another name, or remove the old key"));
    }
    std::string password;
    if (!no_password_) {
      const Result<std::string> typed = ReadPassword("A password for the new key: ");
      if (!typed.ok()) return ReportKey("", typed.status(), console);
      password = *typed;
    }
    const Result<SecretKey> key = MakeKey();
    const Result<SealedKey> sealed = key.ok() ? SealKey(*key, password) : key.status();
    if (!sealed.ok()) return ReportKey("", sealed.status(), console);
    Status status = WriteFor(0600, secret, SecretKeyText(*sealed));
    if (status.ok()) status = WriteFor(0644, open, PublicKeyText(key->Public()));
    if (!status.ok()) return console.Report(MakeError("R504", status.message(), "make the directory writable"));
    console.Print(
        fmt::format("secret key  {}\npublic key  {}\n            {}\n", secret, open, PublicKeyLine(key->Public())));
    return kExitOk;
  }

 private:
  std::string name_;
  bool no_password_ = false;
};

}  // namespace

const CommandType kSignCommand = {
    .name = "sign",
    .arguments = "FILE.so...",
    .summary = "sign plugins, so that others can require your signature",
    .about = "Signs plugins, and the files FILE.opsrun.yaml beside them.\n",
    .details =
        "The signature of FILE.so is written to FILE.so.minisig. It is one of minisign: minisign -V checks it, and "
        "opsrun\n"
        "with --require-signature does before any code of the plugin runs. The password of the key is read from the\n"
        "terminal, or from standard input.\n",
    .examples = "opsrun sign --key mine.key my_op.so\nopsrun plugins --require-signature mine.pub\n",
    .make = Make<SignCommand>,
};

const CommandType kKeygenCommand = {
    .name = "keygen",
    .arguments = "NAME",
    .summary = "make a key to sign plugins with",
    .about = "Makes a key to sign plugins with: NAME.key, which is secret, and NAME.pub, in the formats of minisign.\n",
    .details = "The password of the secret key is read from the terminal, or from standard input.\n",
    .examples = "opsrun keygen mine\nopsrun keygen --no-password mine\n",
    .make = Make<KeygenCommand>,
};

}  // namespace opsrun::host
