# flashgate_cudart_stubs(TARGET LIBRARY SOURCES...): gives TARGET one function for every name that the CUDA runtime
# LIBRARY exports and that none of SOURCES defines. Each refuses the call by its name, so that a program which imports
# more than the stand-in supports starts, and says what it needed when it needs it.
function(flashgate_cudart_stubs target library)
  execute_process(COMMAND ${CMAKE_NM} -D --defined-only "${library}" OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${CMAKE_NM} can't read ${library}")
  endif()
  string(REGEX MATCHALL "_*cuda[A-Za-z0-9_]+" names "${symbols}")
  list(REMOVE_DUPLICATES names)

  set(defined "")
  foreach(source IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "[a-z_]+[ *]+_*cuda[A-Za-z0-9_]+\\(" definitions "${text}")
    string(REGEX REPLACE "[a-z_]+[ *]+(_*cuda[A-Za-z0-9_]+)\\(" "\\1" definitions "${definitions}")
    list(APPEND defined ${definitions})
  endforeach()
  list(REMOVE_ITEM names ${defined})

  set(text "#include \"gpu/runtime/refused_call.h\"\n\n#define REFUSE(name) \\\n  extern \"C\" int name() { return flashgate::gpu::runtime::refuse_call(#name); }\n\n")
  foreach(name IN LISTS names)
    string(APPEND text "REFUSE(${name})\n")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/unsupported_calls.cpp")
  file(CONFIGURE OUTPUT "${output}" CONTENT "${text}" @ONLY)
  target_sources(${target} PRIVATE "${output}")
endfunction()
