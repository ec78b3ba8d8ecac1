#!/bin/sh
# tests/sdk/build_plugins.sh SDK EIGEN FOLDER COMPILER FLAGS...: builds each .cc of a folder as a plugin, with one
# command, and checks it.
#
# A plugin must have a PLUGIN note, a note with the name of each op and kernel, in a section of type NOTE, and export
# only its entry. The SDK's headers must not cause warnings. .cu.cc files are skipped. An empty FOLDER means
# OPSRUN_GUIDE_SAMPLES: exits with 77 if it is not set, or if the compiler is missing. With KEEP_PLUGINS, plugins are kept
# in that folder, each in a directory of its own. With PRECOMPILE, the headers that it names are compiled once, ahead of all
# sources: for a compiler whose twin compiles each source alone.
# SPDX-License-Identifier: Apache-2.0
set -u
sdk=$1 eigen=$2 folder=$3 compiler=$4
shift 4
command -v "$compiler" > /dev/null || { echo "SKIPPED: there is no $compiler"; exit 77; }
[ -n "$folder" ] || folder=${OPSRUN_GUIDE_SAMPLES-}
[ -n "$folder" ] || { echo "SKIPPED: OPSRUN_GUIDE_SAMPLES is not set"; exit 77; }
[ -d "$folder" ] || { echo "there is no folder '$folder'"; exit 1; }

out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
# Each flag is quoted, because folders may contain spaces. The include paths are not system paths, whose warnings would
# be hidden.
flags=$(sed -n -e 's/^compile //p' -e 's/^layer //p' -e 's/^link //p' "$sdk/cmake/flags.txt" |
  sed -e "s|-isystem@SDK@|-I@SDK@|" -e "s|@SDK@|$sdk|" -e "s|@EIGEN@|$eigen|" -e "s|.*|'&'|" | tr '\n' ' ')

failed=0
complain() {
  echo "$(basename "$source"): $*"
  failed=1
}

check() {
  readelf -SW "$1" | grep -q '\.note\.opsrun *NOTE' || complain "the section .note.opsrun is not of type NOTE"
  notes=$(readelf -nW "$1" 2> /dev/null | grep '^ *opsrun ')
  echo "$notes" | grep -q '4f500101' || complain "no PLUGIN note"
  ops=$(echo "$notes" | grep -c '4f500103')
  written=$(grep -cE '^REGISTER_(RESOURCE_HANDLE_)?OP\(' "$source")
  [ "$ops" -eq "$written" ] || complain "$ops OP notes for $written ops"
  # "*" instead of a name: the compiler did not evaluate the text of the note, so `opsrun inspect` cannot show it.
  echo "$notes" | grep -q '4f50010[34].*data: 2a *$' && complain "an op or a kernel without a name in its note"
  symbols=$(nm -D --defined-only "$1" | awk '{print $NF}' | sort | tr '\n' ' ')
  [ "$symbols" = "opsrun_plugin_v1 " ] || complain "exports $symbols"
}

# Both compilers use the file that is named so beside a header.
if [ -n "${PRECOMPILE-}" ]; then
  for header in $PRECOMPILE; do echo "#include \"$header\""; done > "$out/first.h"
  eval '"$compiler" -std=c++17 "$@" -x c++-header "$out/first.h" '"$(echo "$flags" | sed "s/'-Wl,[^']*'//g")"' -o "$out/first.h.gch"' || exit 1
  set -- "$@" -include "$out/first.h"
fi

for source in "$folder"/*.cc; do
  case $source in *.cu.cc) continue ;; esac
  plugin=$out/plugin.so
  if [ -n "${KEEP_PLUGINS-}" ]; then
    name=$(basename "$source" .cc)
    mkdir "$KEEP_PLUGINS/$name"
    plugin=$KEEP_PLUGINS/$name/$name.so
  fi
  if eval '"$compiler" -std=c++17 "$@" -shared "$source" '"$flags"' -o "$plugin"' > "$out/log" 2>&1; then
    check "$plugin"
    if grep -F "$sdk/" "$out/log" | grep -q 'warning:' || grep -q redefined "$out/log"; then
      complain "the SDK's headers cause warnings:"
      cat "$out/log"
    fi
  else
    complain "does not compile"
    cat "$out/log"
  fi
done
exit $failed
