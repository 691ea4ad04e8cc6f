# Adds the tests `format` (clang-format) and, if FLASHGATE_CLANG_TIDY is on, `tidy` (clang-tidy, minutes) for the sources
# of the given targets. Without the programs the tests are left out; scripts/setup installs them.
function(flashgate_static_checks)
  find_program(clang_format_program clang-format)
  if(clang_format_program)
    add_test(NAME format COMMAND "${PROJECT_SOURCE_DIR}/scripts/check-format" "${clang_format_program}")
  endif()

  find_program(clang_tidy_program clang-tidy)
  if(NOT FLASHGATE_CLANG_TIDY OR NOT clang_tidy_program)
    return()
  endif()
  set(stamps "")
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    list(FILTER sources EXCLUDE REGEX "^/|^\\$<")  # generated ones, other targets' objects
    # clang 14 does not know the std::source_location that collectives are called with.
    list(FILTER sources EXCLUDE REGEX "^context_parallel/|^rank_execution")
    foreach(source IN LISTS sources)
      string(MAKE_C_IDENTIFIER "${target}_${source}" name)
      set(stamp "${PROJECT_BINARY_DIR}/tidy/${name}.stamp")
      add_custom_command(
        OUTPUT "${stamp}"
        COMMAND "${clang_tidy_program}" --quiet --extra-arg=-Wno-unknown-warning-option -p "${PROJECT_BINARY_DIR}" "${folder}/${source}"
        COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
        DEPENDS "${folder}/${source}" "${PROJECT_SOURCE_DIR}/.clang-tidy" ${target}
        COMMENT "clang-tidy ${source}" VERBATIM)
      list(APPEND stamps "${stamp}")
    endforeach()
  endforeach()
  add_custom_target(tidy DEPENDS ${stamps})
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/tidy")
  add_test(NAME tidy COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target tidy)
  set_tests_properties(tidy PROPERTIES TIMEOUT 3600)  # a slow machine needs more than ctest's 25 minutes
endfunction()
