# opsrun_add_plugin_test(name [PLUGINS pad ...] [SOURCES] a_test.cc ...)
#
# Builds a GoogleTest program and adds its tests to CTest, as plugins.<suite>.<test>. PLUGINS are targets of
# opsrun_add_plugin() or paths of plugin files, which opsrun/testing.h loads. Without PLUGINS, the program tests only its own
# sources. If GoogleTest is not found, the test is skipped with a warning.
# SPDX-License-Identifier: Apache-2.0
include_guard(GLOBAL)

# A macro, because enable_testing() in a function has no effect on the caller.
macro(opsrun_add_plugin_test name)
  enable_testing()
  opsrun_make_plugin_test(${name} ${ARGN})
endmacro()

function(opsrun_make_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "PLUGINS;SOURCES")
  find_package(GTest)
  if(NOT GTest_FOUND)
    message(WARNING "${name} is not built: GoogleTest was not found")
    return()
  endif()
  include(GoogleTest)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${ARG_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_link_libraries(${name} PRIVATE opsrun::sdk GTest::gtest_main)
  set_target_properties(${name} PROPERTIES OPSRUN_TESTED_PLUGINS "${ARG_PLUGINS}")
  if(ARG_PLUGINS)
    set(files "")
    foreach(plugin ${ARG_PLUGINS})
      if(TARGET ${plugin})
        add_dependencies(${name} ${plugin})
        set(plugin "$<TARGET_FILE:${plugin}>")
      endif()
      list(APPEND files "${plugin}")
    endforeach()
    list(JOIN files ":" files)
    target_link_libraries(${name} PRIVATE opsrun::testing)
    target_compile_definitions(${name} PRIVATE "OPSRUN_TEST_PLUGINS=\"${files}\"")
  endif()
  gtest_discover_tests(${name} TEST_PREFIX plugins. DISCOVERY_TIMEOUT 60)
endfunction()
