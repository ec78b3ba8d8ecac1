# cmake -DNM=nm -DREADELF=readelf -DOBJECT=set.o -DTABLE=math_ops_set_x86_64_v4 -P isa_check_object.cmake
#
# Fails if the object file of an instruction set exports anything but its table, or runs code at load time.
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND "${NM}" --defined-only ${OBJECT} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
set(mistakes "")
foreach(symbol ${symbols})
  # Lower-case letters mark local symbols, except u, v and w, which mark unique and weak ones.
  if(NOT symbol MATCHES "^[0-9a-f]* [a-tx-z] " AND NOT symbol MATCHES "^[0-9a-f]* [DR] ${TABLE}$")
    string(APPEND mistakes "\n  not local: ${symbol}")
  endif()
endforeach()
execute_process(COMMAND "${READELF}" -SW ${OBJECT} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
# Sanitizers register data at load time, and keep the compiler from evaluating constants.
execute_process(COMMAND "${NM}" --undefined-only ${OBJECT} OUTPUT_VARIABLE used COMMAND_ERROR_IS_FATAL ANY)
if(sections MATCHES " \\.(init_array|ctors)" AND NOT used MATCHES " __(asan|tsan|ubsan)_")
  string(APPEND mistakes "\n  .init_array or .ctors: code that runs on every processor that loads the plugin")
endif()
if(sections MATCHES " \\.group ")
  string(APPEND mistakes "\n  .group: the linker would merge it with that of another instruction set")
endif()
if(NOT symbols MATCHES " ${TABLE}")
  string(APPEND mistakes "\n  no ${TABLE}")
endif()
if(mistakes)
  message(FATAL_ERROR "${OBJECT} must export only ${TABLE}:${mistakes}")
endif()
