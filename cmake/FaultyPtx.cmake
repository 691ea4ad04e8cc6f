# Kernels with a planted fault. A fault is told by the one line of source that it changes, so it is no copy of a kernel.

# flashgate_faulty_source(FAULT FILE gpu/kernels/x.cuh LINE "..." INSTEAD "..."): writes FAULT/FILE into the current
# binary folder, which is FILE of the source tree but for LINE, which must be there exactly once.
function(flashgate_faulty_source fault)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;LINE;INSTEAD" "")
  set(source "${PROJECT_SOURCE_DIR}/${arg_FILE}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(READ "${source}" text)
  string(FIND "${text}" "${arg_LINE}" first)
  string(FIND "${text}" "${arg_LINE}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "fault ${fault}: expected once in ${arg_FILE}: ${arg_LINE}")
  endif()
  string(REPLACE "${arg_LINE}" "${arg_INSTEAD}" text "${text}")
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${fault}/${arg_FILE}" CONTENT "${text}" @ONLY)
endfunction()

# flashgate_faulty_ptx(TARGET FAULT MODULES naive v2_forward_d64 ... FILE ... LINE ... INSTEAD ...): building TARGET also
# makes FAULT/MODULE.ptx in the current binary folder: our kernels with that header.
function(flashgate_faulty_ptx target fault)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FILE;LINE;INSTEAD" "MODULES")
  flashgate_faulty_source(${fault} FILE "${arg_FILE}" LINE "${arg_LINE}" INSTEAD "${arg_INSTEAD}")
  foreach(module IN LISTS arg_MODULES)
    set(defines)
    string(REGEX REPLACE "_d[0-9]+$" "" source "${module}")
    if(module MATCHES "_d([0-9]+)$")
      set(defines DEFINES "FLASHGATE_HEAD_DIM=${CMAKE_MATCH_1}")
    endif()
    flashgate_ptx(${target} "${fault}/${module}" SOURCE "${PROJECT_SOURCE_DIR}/gpu/kernels/${source}.cu" ARCH sm_80
                  FLAGS "-I${CMAKE_CURRENT_BINARY_DIR}/${fault}" ${defines})
  endforeach()
endfunction()
