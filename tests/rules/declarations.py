"""declarations.py: which names a header declares. For headers as the house writes them; it is not a compiler.

Listed: macros, classes and their public members, enumerators, functions, constants, aliases. Not listed: what is in a
`namespace internal`, what is private or protected, constructors, operators, overrides, and macros whose name begins
with OPSRUN_. What such a macro of the same header declares is listed.

SPDX-License-Identifier: Apache-2.0
"""

import re

# The namespaces that all names are in.
OUTER = {"OPSRUN_NAMESPACE", "absl"}

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TEXT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'")
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(([^)]*)\))?(.*)", re.M)
TOKEN = re.compile(r"\w+|::|->|<=>|[<>=!]=|&&|\|\||\S")
HIDDEN = {"internal"}
NOT_NAMES = {"const", "noexcept", "default", "delete"}


class Name:
    """A declaration: the names around it, its own, whether it is a member of a class, and its line."""

    def __init__(self, around, name, is_member, line):
        self.around, self.name, self.is_member, self.line = around, name, is_member, line

    def __str__(self):
        return "::".join([*self.around, self.name])


def without_comments(text):
    """The text with comments, strings and continued lines as spaces; line breaks stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group(0))
    text = COMMENT.sub(blank, text)
    return TEXT.sub('""', text)


def joined(text):
    """Continued lines in one line, with as many line breaks after it."""
    def join(match):
        return match.group(0).replace("\\\n", " ") + "\n" * match.group(0).count("\n")
    return re.sub(r"(?:[^\n]*\\\n)+[^\n]*", join, text)


def expanded(text, macros):
    """Each use of a macro of OPSRUN_ in a line of its own becomes what it stands for."""
    def expand(match):
        name, arguments = match.group(1), match.group(2)
        if name not in macros:
            return match.group(0)
        parameters, body = macros[name]
        values = dict(zip(parameters, [argument.strip() for argument in arguments.split(",")]))
        body = re.sub(r"\w+", lambda word: values.get(word.group(0), word.group(0)), body)
        return re.sub(r"\s*##\s*", "", body)
    return re.sub(r"^(OPSRUN_\w+)\((.*)\)$", expand, text, flags=re.M)


def tokens(text):
    """(token, line) of the text."""
    line, last = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        yield match.group(0), line


def skip(words, at, opening, closing):
    """The place behind the closing token that belongs to the opening one at `at`."""
    depth = 0
    while at < len(words):
        depth += (words[at] == opening) - (words[at] == closing)
        at += 1
        if depth == 0:
            break
    return at


def behind_angles(words, at):
    """The place behind the > that belongs to the < at `at`. What is in parentheses does not count, nor "a() < b"."""
    depth = 0
    while at < len(words):
        if words[at] == "(":
            at = skip(words, at, "(", ")")
            continue
        depth += (words[at] == "<" and opens(words, at)) - (words[at] == ">")
        at += 1
        if depth == 0:
            break
    return at


def opens(words, at):
    return at > 0 and re.match(r"\w", words[at - 1]) is not None


def without_angles(words):
    """The words without "template" and without what is between < and >."""
    out, at = [], 0
    while at < len(words):
        if words[at] == "<" and opens(words, at):
            at = behind_angles(words, at)
        else:
            out.append(words[at])
            at += 1
    return [word for word in out if word != "template"]


def without_attributes(words):
    """The words without [[...]], __attribute__((...)) and macros in capitals that have arguments."""
    out, at = [], 0
    while at < len(words):
        if words[at] == "[":
            at = skip(words, at, "[", "]")
        elif (words[at] in ("__attribute__", "alignas", "decltype") or re.fullmatch(r"(?:TF|ABSL)_[A-Z_]+", words[at])):
            at += 1
            if at < len(words) and words[at] == "(":
                at = skip(words, at, "(", ")")
        else:
            out.append(words[at])
            at += 1
    return out


def declared(head, class_name):
    """The names that a declaration, without its body, declares."""
    words = without_attributes(without_angles(head))
    if not words or words[0] == "static_assert" or "operator" in words or "override" in words:
        return []
    if words[0] == "friend" and "(" not in words:
        return []
    if words[0] == "using":
        return using(words)
    if words[0] == "typedef":
        return [words[-1]]
    first = next((at for at, word in enumerate(words) if word in ("(", "=")), len(words))
    if first < len(words) and words[first] == "(":
        name = words[first - 1] if first > 0 else ""
        # A constructor, a destructor, or what a class has declared before.
        is_old = name == class_name or (first > 1 and words[first - 2] in ("~", "::"))
        return [] if is_old or not re.match(r"[A-Za-z_]", name) else [name]
    if words[0] in ("class", "struct", "enum", "namespace"):  # without a body: a forward declaration
        return []
    return variables(words)


def using(words):
    """The name of an alias, or those in a list of names of other namespaces; none for inherited constructors."""
    if "=" in words:
        return [words[1]]
    paths = [[word for word in path.split() if word not in ("::", "typename")] for path in " ".join(words[1:]).split(",")]
    return [path[-1] for path in paths if path[0] != "namespace" and path[-1:] != path[-2:-1]]


def variables(words):
    """The names in "int a = 1, b[2];"."""
    names, depth, taken = [], 0, False
    for at, word in enumerate(words + [","]):
        depth += (word in "({[") - (word in ")}]")
        if depth == 0 and word in ("=", ",") and not taken:
            name = words[at - 1] if at > 0 else ""
            if re.match(r"[A-Za-z_]\w*$", name) and name not in NOT_NAMES and (at > 1 or names):
                names.append(name)
        if depth == 0 and word in ("=", ","):
            taken = word == "="
    return names


class Scan:
    """Walks through the tokens of one header."""

    def __init__(self, text):
        pairs = list(tokens(text))
        self.words, self.lines = [word for word, _ in pairs], [line for _, line in pairs]
        self.names = []

    def run(self):
        """The names; an error if the braces do not match, as names would be missed then."""
        end = self.scope(0, [], None, True)
        if end < len(self.words):
            raise ValueError(f"{self.lines[end - 1]}: the closing brace has no opening one")
        return self.names

    def add(self, names, around, is_member, line):
        self.names += [Name(around, name, is_member, line) for name in names]

    def scope(self, at, around, class_name, is_public):
        """Reads declarations until the scope ends; the place behind its end."""
        head, begin = [], at
        while at < len(self.words):
            word = self.words[at]
            if word in ("}", "OPSRUN_ABSL_END"):
                return at + 1
            if word == "OPSRUN_ABSL_BEGIN":
                at = self.scope(at + 1, around + ["absl"], None, True)
                head = []
            elif word in ("public", "private", "protected") and self.words[at + 1] == ":":
                is_public, head, at = word == "public", [], at + 2
            elif word == ";":
                if is_public:
                    self.add(declared(head, class_name), around, class_name is not None, self.lines[begin])
                head, at = [], at + 1
            elif word == "(":
                end = skip(self.words, at, "(", ")")
                head, at = head + self.words[at:end], end
            elif word == "{":
                at, is_over = self.body(at, head, begin, around, class_name, is_public)
                head = [] if is_over else head + ["=", "0"]
            else:
                if not head:
                    begin = at
                head, at = head + [word], at + 1
        return at

    def body(self, at, head, begin, around, class_name, is_public):
        """Reads what is in the braces at `at`: (the place behind, whether the declaration is over)."""
        words = without_attributes(without_angles(head))
        line = self.lines[begin]
        kind = next((w for w in words if w in ("namespace", "class", "struct", "enum", "union", "(", "=")), "")
        if kind == "namespace":
            name = next((w for w in words[words.index("namespace") + 1:] if w != "OPSRUN_HIDDEN"), "")
            if name in HIDDEN:
                return skip(self.words, at, "{", "}"), True
            return self.scope(at + 1, around + [name], None, True), True
        if kind == "enum":
            return self.enumerators(at, words, around, class_name, is_public, line), False
        if kind in ("class", "struct", "union"):
            name = words[words.index(kind) + 1]
            is_special = head[head.index(name) + 1:head.index(name) + 2] in (["<"], ["::"])  # of a template elsewhere
            if not is_public:
                return skip(self.words, at, "{", "}"), False
            if not is_special:
                self.add([name], around, class_name is not None, line)
            return self.scope(at + 1, around + [name], name, kind != "class"), False
        end = skip(self.words, at, "{", "}")
        if kind != "(" and "operator" not in words:
            return end, False  # an initializer
        while end < len(self.words) and self.words[end] in (",", "{"):  # more initializers of a constructor
            while self.words[end] != "{":
                end += 1
            end = skip(self.words, end, "{", "}")
        if is_public:
            self.add(declared(head, class_name), around, class_name is not None, line)
        return end, True

    def enumerators(self, at, words, around, class_name, is_public, line):
        end = skip(self.words, at, "{", "}")
        if is_public:
            rest = [w for w in words[words.index("enum") + 1:] if w not in ("class", "struct")]
            is_scoped = "class" in words
            name = rest[:1] if rest and rest[0] != ":" else []
            self.add(name, around, class_name is not None, line)
            entries = " ".join(self.words[at + 1:end - 1]).split(",")
            names = [entry.split()[0] for entry in entries if entry.split()]
            self.add(names, around + (name if is_scoped else []), is_scoped, line)
        return end


def names_of(text):
    """What a header declares."""
    text = joined(without_comments(text))
    macros, found = {}, []
    for match in DEFINE.finditer(text):
        if match.group(1).startswith("OPSRUN_"):
            parameters = [word.strip() for word in (match.group(3) or "").split(",")]
            macros[match.group(1)] = (parameters, match.group(4))
        else:
            found.append(Name([], match.group(1), False, text.count("\n", 0, match.start()) + 1))
    found += Scan(expanded(DIRECTIVE.sub("", text), macros)).run()
    seen, first = set(), []
    for name in found:
        name.around = [word for word in name.around if word not in OUTER]
        if str(name) not in seen:
            seen.add(str(name))
            first.append(name)
    return first
