# flashgate_embed_text(TARGET SYMBOL FILE): makes the text of FILE (relative to the current folder) part of TARGET as a
# constant `std::string_view`. SYMBOL is its qualified name, for example flashgate::matrix::kSchemaSql; who uses it
# declares it: `namespace flashgate::matrix { extern const std::string_view kSchemaSql; }`.
# The build is configured again when FILE changes.
function(flashgate_embed_text target symbol file)
  get_filename_component(path "${file}" ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
  file(READ "${path}" text)

  string(REGEX REPLACE "::[^:]*$" "" namespace "${symbol}")
  string(REGEX REPLACE "^.*::" "" name "${symbol}")
  # The length comes from sizeof: a string_view made at compile time would count at most 262,144 bytes.
  string(CONCAT source
    "#include <string_view>\n\n"
    "namespace ${namespace} {\n\n"
    "static constexpr char ${name}Bytes[] = R\"flashgate(${text})flashgate\";\n"
    "extern const std::string_view ${name};\n"
    "constinit const std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes) - 1);\n\n"
    "}  // namespace ${namespace}\n")

  # Written only if it differs, so that configuring again does not rebuild.
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_${name}.cpp")
  set(old "")
  if(EXISTS "${output}")
    file(READ "${output}" old)
  endif()
  if(NOT old STREQUAL source)
    file(WRITE "${output}" "${source}")
  endif()
  target_sources(${target} PRIVATE "${output}")
endfunction()
