# Run by cpack when a package is made: packs it again, because its archives have the name of the user who makes them and
# modes of the umask.
# SPDX-License-Identifier: Apache-2.0

# pack(archive folder member): a .tar.gz of a member of the folder.
function(opsrun_pack archive folder member)
  execute_process(WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY
    COMMAND tar --create "--file=${archive}" --gzip --format=gnu --sort=name --owner=root:0 --group=root:0 --mode=u=rwX,go=rX
            "--mtime=@$ENV{SOURCE_DATE_EPOCH}" "${member}")
endfunction()

set(unpacked "${CPACK_TOPLEVEL_DIRECTORY}/unpacked")
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  file(REMOVE_RECURSE "${unpacked}")
  file(ARCHIVE_EXTRACT INPUT "${package}" DESTINATION "${unpacked}")
  if(package MATCHES "\\.deb$")
    file(ARCHIVE_EXTRACT INPUT "${unpacked}/data.tar.gz" DESTINATION "${unpacked}/data")
    opsrun_pack("${unpacked}/data.tar.gz" "${unpacked}/data" .)
    execute_process(WORKING_DIRECTORY "${unpacked}" COMMAND_ERROR_IS_FATAL ANY
      COMMAND "${CPACK_OPSRUN_AR}" rcD "${package}.new" debian-binary control.tar.gz data.tar.gz)
  else()
    opsrun_pack("${package}.new" "${unpacked}" "${CPACK_PACKAGE_FILE_NAME}")
  endif()
  file(RENAME "${package}.new" "${package}")
endforeach()
