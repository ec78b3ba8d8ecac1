"""names_test.py: which names declarations.py finds in a header, and which of them check_names.py reports.

SPDX-License-Identifier: Apache-2.0
"""

import check_names
import declarations
from small_tree import SmallTree


class Names(SmallTree):
    COMPAT = "compat/opsrun_compat/a.h"
    LAYER = "compat/opsrun_absl/a.h"

    def names_in(self, body):
        text = f"namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {{\n{body}\n}}\n"
        return [str(name) for name in declarations.names_of(text)]

    def test_lists_functions_and_constants(self):
        self.assertEqual(self.names_in("""
            // int Commented();
            inline int Add(int a, int (*b)()) { int local = 0; return local + a; }
            template <typename T, typename = std::enable_if_t<sizeof(T) < 4>>
            std::vector<T> Many(const T& t);
            constexpr int kOne = 1, kTwo[2] = {1, 2};
            extern const char* const kText;
            [[nodiscard]] __attribute__((cold)) bool Rare() noexcept;
            inline int Class::Defined() { return 1; }
            static_assert(sizeof(int) == 4, "not a name();");"""), ["Add", "Many", "kOne", "kTwo", "kText", "Rare"])

    def test_lists_classes_and_what_is_public_in_them(self):
        self.assertEqual(self.names_in("""
            class Forward;
            class TF_LOCKABLE Base : public Other<int> {
              int hidden_ = 0;
             public:
              explicit Base(int n) : a_{n}, b_(n) { Call(); }
              ~Base();
              static Base* Make(int n) { return new Base(n); }
              template <typename T>
              T get() const { return T(); }
              bool operator==(const Base&) const;
              Base& operator=(Base other) { return *this; }
              void Compute(int) override;
              friend void Free(Base*) {}
              typedef int value_type;
              struct Inner { int field = 1; };
             protected:
              void Hidden();
             private:
              struct Secret { int x; };
            };"""), ["Base", "Base::Make", "Base::get", "Base::Free", "Base::value_type", "Base::Inner",
                     "Base::Inner::field"])

    def test_lists_enumerators_aliases_and_namespaces(self):
        self.assertEqual(self.names_in("""
            enum Plain : int { kA = 1, kB };
            enum class Scoped { kC };
            namespace io {
            using std::map, ::other::set, std::optional;
            using Text = std::string;
            }
            namespace internal { int Hidden(); }
            template <> struct std::hash<int> {};
            template <> struct hash<int> {};"""),
            ["Plain", "kA", "kB", "Scoped", "Scoped::kC", "io::map", "io::set", "io::optional", "io::Text"])

    def test_lists_macros_and_what_they_declare(self):
        self.assertEqual([str(name) for name in declarations.names_of("""
#define TF_ONE(x) \\
  Two(x)
#define OPSRUN_MAKE(Name, n) \\
  inline int Make##Name() {  \\
    return n;                \\
  }
OPSRUN_ABSL_BEGIN
OPSRUN_MAKE(First, 1)
#undef OPSRUN_MAKE
OPSRUN_ABSL_END
""")], ["TF_ONE", "MakeFirst"])

    def test_accepts_names_with_tests(self):
        self.write(self.COMPAT, "namespace io {\nint Size();\nclass File { public: int size(); };\n}\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = io::Size() + io::File().size();\n")
        self.assertEqual(check_names.check(self.root), [])

    def test_finds_a_name_without_a_test(self):
        self.write(self.COMPAT, "int Used();\n\nint Unused();\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = Used();  // not Unused\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:3", "no test uses Unused")

    def test_finds_a_method_that_is_called_on_another_class_only(self):
        self.write(self.COMPAT, "class File {\n public:\n  int size();\n};\n")
        self.write("compat/tests/tensorflow/a_test.cc", "File file;\n")
        self.write("compat/tests/tensorflow/b_test.cc", "int n = text.size();\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:3", "no test uses File::size")

    def test_finds_a_header_that_it_cannot_read(self):
        self.write(self.COMPAT, "int A();\n}\nint B();\n")
        self.assert_finds(check_names.check, f"{self.COMPAT}:2", "no opening one")

    def test_wants_names_of_the_layer_where_abseil_judges_them(self):
        self.write(self.LAYER, "OPSRUN_ABSL_BEGIN\nint Size();\nOPSRUN_ABSL_END\n")
        self.write("compat/tests/tensorflow/a_test.cc", "int n = absl::Size();\n")
        self.write("compat/tests/absl/a_test.cc", "int n = other::Size();\n")
        self.assert_finds(check_names.check, f"{self.LAYER}:2", "no test uses Size", "compat/tests/absl/")
