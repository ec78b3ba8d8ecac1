# isa_sets.cmake: math_ops_instruction_sets(objects tables SOURCES a.cc ...)
#
# Compiles the sources once for each instruction set of the processor's family, and makes one object file per set.
# `objects` becomes the list of these files and `tables` the names of their tables, the fastest set last. On x86-64, the
# sets are the levels that the compiler supports; elsewhere, there is one set without options. In the sources,
# MATH_OPS_SET is the name of their set.
#
# An object file exports only its table, math_ops_set_<name>. All other symbols become local, including inline functions
# of the SDK and the standard library. Otherwise the linker would keep one copy of each inline function for all sets and
# the rest of the plugin, possibly the AVX-512 one, and the plugin would crash with an illegal instruction on older
# processors.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)
include(CheckCXXCompilerFlag)

set(MATH_OPS_ISA_DIR "${CMAKE_CURRENT_LIST_DIR}")

# GNU ld and objcopy, also with clang: lld cannot dissolve COMDAT groups.
find_program(MATH_OPS_LD NAMES ld.bfd ld)
find_program(MATH_OPS_OBJCOPY NAMES objcopy)
mark_as_advanced(MATH_OPS_LD MATH_OPS_OBJCOPY)

# Sets `result` to the names of the sets that can be compiled: x86_64_v2 and so on, or plain.
function(math_ops_set_names result)
  set(names "")
  set(help "")
  if(MATH_OPS_LD AND MATH_OPS_OBJCOPY)
    execute_process(COMMAND "${MATH_OPS_LD}" --help OUTPUT_VARIABLE help ERROR_QUIET)
  endif()
  if(NOT help MATCHES "--force-group-allocation")
    message(STATUS "math_ops: no GNU ld and objcopy, so for no particular instruction set")
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    foreach(level x86_64_v2 x86_64_v3 x86_64_v4)
      string(REPLACE x86_64_ x86-64- flag "${level}")
      check_cxx_compiler_flag("-march=${flag}" MATH_OPS_HAS_${level})
      if(MATH_OPS_HAS_${level})
        list(APPEND names ${level})
      endif()
    endforeach()
  endif()
  if(NOT names)
    set(names plain)
  endif()
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# Adds an object library, and a custom command that makes one object file of it; sets `object` to that file. COMDAT
# groups are dissolved, because the linker would merge groups of the same name from two sets even if their symbols are
# local.
function(math_ops_add_set name)
  set(target math_ops_${name})
  set(object "${CMAKE_CURRENT_BINARY_DIR}/math_ops_set_${name}.o")
  add_library(${target} OBJECT ${ARGN})
  opsrun_flags(compile compile_flags)
  # Without -fno-lto the objects would have no code yet. Without optimization, constants would be computed at load
  # time, possibly by instructions that this processor does not have.
  target_compile_options(${target} PRIVATE ${compile_flags} -fno-lto -O3 -fno-math-errno -fno-trapping-math)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Unique symbols cannot be made local. The disabled warnings are false positives in the compiler's AVX-512 headers.
    target_compile_options(${target} PRIVATE -fno-gnu-unique -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_compile_definitions(${target} PRIVATE MATH_OPS_SET=${name} OPSRUN_CPU_CHECKED)
  if(name STREQUAL plain)
    set(object $<TARGET_OBJECTS:${target}> PARENT_SCOPE) # the only set: its exported symbols cannot conflict
    return()
  endif()
  string(REPLACE x86_64_ -march=x86-64- flag "${name}")
  target_compile_options(${target} PRIVATE ${flag})
  if(name STREQUAL x86_64_v4)
    # Compilers prefer half the width, for the first processors that had more. On later ones, loops over what is in the
    # first level of the cache are up to three times faster with all of it.
    target_compile_options(${target} PRIVATE -mprefer-vector-width=512)
  endif()
  add_custom_command(
    OUTPUT "${object}"
    COMMAND "${MATH_OPS_LD}" -r --force-group-allocation -o "${object}" $<TARGET_OBJECTS:${target}>
    COMMAND "${MATH_OPS_OBJCOPY}" --keep-global-symbol=math_ops_set_${name} "${object}"
    DEPENDS ${target} $<TARGET_OBJECTS:${target}>
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Making the symbols of ${target} local")
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(object "${object}" PARENT_SCOPE)
endfunction()

function(math_ops_instruction_sets objects tables)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "SOURCES")
  math_ops_set_names(names)
  foreach(name ${names})
    math_ops_add_set(${name} ${ARG_SOURCES})
    list(APPEND found_objects "${object}")
    list(APPEND found_tables math_ops_set_${name})
  endforeach()
  set(${objects} ${found_objects} PARENT_SCOPE)
  set(${tables} ${found_tables} PARENT_SCOPE)
endfunction()

# For each object file, a test that it exports only its table; and a test that the check fails for the original objects.
function(math_ops_test_instruction_sets)
  list(FILTER ARGN EXCLUDE REGEX TARGET_OBJECTS)
  foreach(object ${ARGN})
    get_filename_component(table "${object}" NAME_WE)
    string(REPLACE math_ops_set_ math_ops_ target "${table}")
    set(check "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DREADELF=${CMAKE_READELF}" -DTABLE=${table})
    set(script -P "${MATH_OPS_ISA_DIR}/isa_check_object.cmake")
    add_test(NAME plugins.${table}.exports_only_its_table COMMAND ${check} "-DOBJECT=${object}" ${script})
    add_test(NAME plugins.${table}.would_export_inline_functions
      COMMAND ${check} "-DOBJECT=$<TARGET_OBJECTS:${target}>" ${script})
    set_tests_properties(plugins.${table}.would_export_inline_functions PROPERTIES WILL_FAIL TRUE)
  endforeach()
endfunction()
