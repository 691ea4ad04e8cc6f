cmake_minimum_required(VERSION 3.25)

# Writes OUTPUT (a .cpp that defines matrix/build_info.h) if its content changed. Run as a script before each build:
#   cmake -DSOURCE_DIR=... -DOUTPUT=... -DCOMPILER=... -DBUILD_TYPE=... -DVERSION=... -P BuildInfo.cmake
set(commit "unknown")
set(dirty "false")
find_program(git_program git)
if(git_program)
  execute_process(COMMAND "${git_program}" -C "${SOURCE_DIR}" rev-parse HEAD
                  OUTPUT_VARIABLE head RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0)
    set(commit "${head}")
    execute_process(COMMAND "${git_program}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT changes STREQUAL "")
      set(dirty "true")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT
"#include \"matrix/build_info.h\"

namespace flashgate::matrix::build_info {

const char* const kCommit = \"@commit@\";
const bool kDirty = @dirty@;
const char* const kCompiler = \"@COMPILER@\";
const char* const kBuildType = \"@BUILD_TYPE@\";
const char* const kVersion = \"@VERSION@\";

}  // namespace flashgate::matrix::build_info
")
