# The two kinds of targets flashgate has. Flags are set per target, never globally.

# flashgate_compile_options(TARGET): the language level and the warnings every target of ours is built with.
function(flashgate_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # g++ 12 reports std::string concatenation as overlapping memcpy (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(FLASHGATE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# flashgate_library(NAME SOURCES ... DEPENDS ... [PRIVATE_DEPENDS ...]): one library per folder, sources listed by name.
# Includes are written from the root of the tree ("sim/dispatch/plan.h").
function(flashgate_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(flashgate_${name} STATIC ${arg_SOURCES})
  target_include_directories(flashgate_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(flashgate_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  flashgate_compile_options(flashgate_${name})
endfunction()
