#!/bin/sh
# install_test.sh BUILD SOURCE CMAKE C_COMPILER COMPILER SANITIZERS: installs BUILD into a prefix whose path has a blank, and builds
# and runs plugins and the programs of examples/embed against it. BUILD was made by these compilers, with SANITIZERS if there are any.
# SPDX-License-Identifier: Apache-2.0
set -eu

build=$1
source=$2
cmake=$3
c_compiler_of_build=$4
compiler_of_build=$5
sanitizers=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/pre fix"
opsrun="$prefix/bin/opsrun"

# Nothing of the user who runs the tests decides which plugins are found.
unset OPSRUN_PLUGIN_PATH
HOME="$work/home"
export HOME

# step NAME COMMAND...: runs it in silence, or shows what it said and ends the test.
step() {
  doing=$1
  shift
  if ! "$@" > "$work/log" 2>&1; then
    echo "FAILED: $doing" >&2
    cat "$work/log" >&2
    exit 1
  fi
  echo "ok: $doing"
}

# prints TEXT COMMAND...: true if TEXT is in what the command prints on stdout.
prints() {
  text=$1
  shift
  "$@" > "$work/out" || return 1
  grep -qF -- "$text" "$work/out" || { echo "expected '$text' in:"; cat "$work/out"; return 1; }
}

# exits_with STATUS COMMAND...
exits_with() {
  expected=$1
  shift
  status=0
  "$@" || status=$?
  [ "$status" -eq "$expected" ] || { echo "exit status $status, expected $expected"; return 1; }
}

# with_cmake SOURCE NAME [TYPE [-n]]: builds the CMake project in SOURCE, by default for release; what it makes is under
# $work/NAME then. -n: Ninja only looks for all that the build needs.
with_cmake() {
  "$cmake" -S "$1" -B "$work/$2" "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_BUILD_TYPE=${3:-Release}" -DCMAKE_CXX_FLAGS_DEBUG= \
      "-DCMAKE_C_COMPILER=$c_compiler_of_build" "-DCMAKE_C_FLAGS=${sanitizers:+-fsanitize=$sanitizers}" \
      "-DCMAKE_CXX_COMPILER=$compiler_of_build" "-DCMAKE_CXX_FLAGS=${sanitizers:+-fsanitize=$sanitizers}" ${4:+-G Ninja} &&
    "$cmake" --build "$work/$2" ${4:+-- "$4"}
}

# with_one_line COMPILER DIRECTORY: builds stranger/my_op.cc with the line that the README shows.
with_one_line() {
  mkdir -p "$work/$2" &&
    eval "$1 -std=c++17 -O2 -shared \"$source/tests/install/stranger/my_op.cc\" -o \"$work/$2/my_op.so\"" \
      "$("$opsrun" sdk --cflags)"
}

# counts_down DIRECTORY: the stranger's graph runs with the plugin in DIRECTORY and no other.
counts_down() {
  prints '[2 1 0]' "$opsrun" --plugins "$1" --no-default-plugins "$source/tests/install/stranger/my_graph.yaml"
}

# with_one_line_too COMPILER OPSRUN: the same for stranger/my_op_test.cc, with the flags that OPSRUN prints, and runs it on the plugin.
with_one_line_too() {
  eval "$1 -std=c++17 -O2 \"$source/tests/install/stranger/my_op_test.cc\" -o \"$work/my_op_test\"" "$("$2" sdk --test-flags)" &&
    OPSRUN_TEST_PLUGINS="$plugin" "$work/my_op_test"
}

# with_pkg_config COMPILER SOURCE PROGRAM: builds a program that embeds opsrun with the line that docs/embed.md shows.
with_pkg_config() {
  eval "$1 \"$2\" -o \"$3\"" "$(pkg-config --cflags --libs opsrun)"
}

# shows_mistakes PROGRAM: of a graph with mistakes, on stderr, as the command line does.
shows_mistakes() {
  exits_with 1 "$1" "$work/examples/five_mistakes.yaml" 2> "$work/mistakes" &&
    grep -q '9 |   zeroed: {op: ZeroOt, in: x}' "$work/mistakes"
}

# tests_pass DIRECTORY: as many as there are, and there are some.
tests_pass() {
  (cd "$1" && "${cmake%cmake}ctest" --output-on-failure --no-tests=error)
}

step 'install' "$cmake" --install "$build" --prefix "$prefix"

mkdir "$work/examples"
cp "$source"/examples/*.yaml "$work/examples"
step 'the probe is found' prints 'libexec/opsrun/opsrun-probe, 10 s' "$opsrun" doctor
step 'plugins are probed' prints 'ok ' "$opsrun" plugins
step 'quickstart runs' prints '[1 0]' "$opsrun" "$work/examples/quickstart.yaml"
step 'the house is drawn' prints '18' "$opsrun" "$work/examples/draw_house.yaml"
step 'the house is dark' prints '64' "$opsrun" "$work/examples/house_at_night.yaml"
step 'five mistakes are found' exits_with 3 "$opsrun" check "$work/examples/five_mistakes.yaml"

step 'my_op builds with CMake' with_cmake "$source/tests/install/stranger" stranger
plugin=$(find "$work/stranger" -name my_op.so)
step 'my_op of CMake runs' counts_down "$(dirname "$plugin")"
step 'the test of my_op passes' tests_pass "$work/stranger"

step 'opsrun new writes a project' "$opsrun" new "$work/thing"
step 'it builds' with_cmake "$work/thing" thing_build
step 'its tests pass' tests_pass "$work/thing_build"
step 'it is packed' "${cmake%cmake}cpack" --config "$work/thing_build/CPackConfig.cmake" -B "$work/packages"
step 'the archive is there' test -f "$work/packages/opsrun-thing-0.1.0-$(uname -m).tar.gz"

for compiler in g++ clang++; do
  if command -v "$compiler" > /dev/null; then
    step "my_op builds with one line of $compiler" with_one_line "$compiler" "one line $compiler"
    step "my_op of $compiler runs" counts_down "$work/one line $compiler"
    # A library with a sanitizer wants the whole program to have it.
    if [ -z "$sanitizers" ]; then
      step "the test of my_op builds with one line of $compiler and passes" with_one_line_too "$compiler" "$opsrun"
    fi
  else
    echo "skipped: there is no $compiler"
  fi
done

if [ -z "$sanitizers" ]; then
  step 'the build folder has all that the test needs' with_one_line_too "$compiler_of_build" "$build/bin/opsrun"
fi

# Programs that embed opsrun, from a copy beside which nothing else lies.
cp -R "$source/examples/embed" "$work/embed"
step 'the programs of examples/embed build with CMake' with_cmake "$work/embed" embed_build
for program in run_graph_c run_graph_cc; do
  step "$program runs a graph" prints '3.75' "$work/embed_build/$program" "$work/embed/totals.yaml"
  step "$program shows mistakes" shows_mistakes "$work/embed_build/$program"
done
if [ -n "$sanitizers" ]; then
  echo 'skipped: a line without sanitizers'
elif command -v pkg-config > /dev/null; then
  PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
  LD_LIBRARY_PATH="$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  export PKG_CONFIG_PATH LD_LIBRARY_PATH
  step 'run_graph.c builds with pkg-config' with_pkg_config "$c_compiler_of_build -std=c11" "$work/embed/run_graph.c" "$work/by_line_c"
  step 'it runs a graph' prints '3.75' "$work/by_line_c" "$work/embed/totals.yaml"
  step 'run_graph.cc builds with pkg-config' with_pkg_config "$compiler_of_build -std=c++17" "$work/embed/run_graph.cc" "$work/by_line_cc"
  step 'it runs a graph too' prints '3.75' "$work/by_line_cc" "$work/embed/totals.yaml"
  mkdir -p "$work/newer/dlpack"
  cp "$source/tests/abi/dlpack.h" "$work/newer/dlpack"
  for header in "$work/newer" /usr/include; do
    if [ -f "$header/dlpack/dlpack.h" ]; then
      step "dlpack.cc builds with $header/dlpack/dlpack.h" with_pkg_config "$compiler_of_build -std=c++17 -I\"$header\"" "$work/embed/dlpack.cc" "$work/by_line_dlpack"
      step 'it hands a result over' prints '3.75' "$work/by_line_dlpack" "$work/embed/totals.yaml"
    fi
  done
else
  echo 'skipped: there is no pkg-config'
fi

# Each plugin is a project of its own. Their sources are compiled in this build, with the same flags, so one of them, with
# its CUDA sources where there is nvcc, is built; the others must only find all that they name.
for directory in "$source"/plugins/*/; do
  name=$(basename "$directory")
  if [ "$name" != zero_out ]; then dry_run=-n; else dry_run=; fi
  step "$name builds alone" with_cmake "$directory" "alone_$name" Debug $dry_run
done
step 'zero_out built alone is whole' prints zero_out "$opsrun" inspect "$(find "$work/alone_zero_out" -name zero_out.so)"
