# Finds nvcc, on PATH, where CUDA toolkits are installed, or in the project's own build/venv (see scripts/setup).
# Sets, or leaves false where there is none:
#   FLASHGATE_NVCC             the compiler
#   FLASHGATE_CUDA_MAJOR       its release, for example 13
#   FLASHGATE_CUDA_INCLUDE     the folder of cuda_runtime.h
#   FLASHGATE_CUDART_LIBRARY   the shared runtime library
#   FLASHGATE_PTXAS            the assembler of the same toolkit
set(FLASHGATE_CUDA_CACHE "${PROJECT_BINARY_DIR}/cuda_cache" CACHE PATH "Where results of nvcc are kept, by content")

file(GLOB venv_folders "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/nvidia/cu*/bin")
find_program(FLASHGATE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin
             PATHS /usr/local/cuda/bin /opt/cuda/bin ${venv_folders})
if(FLASHGATE_NVCC)
  file(REAL_PATH "${FLASHGATE_NVCC}" nvcc_file)
  get_filename_component(nvcc_folder "${nvcc_file}" DIRECTORY)
  execute_process(COMMAND "${FLASHGATE_NVCC}" --version OUTPUT_VARIABLE nvcc_version)
  string(REGEX MATCH "release ([0-9]+)" nvcc_release "${nvcc_version}")
  set(FLASHGATE_CUDA_MAJOR "${CMAKE_MATCH_1}")
  find_path(FLASHGATE_CUDA_INCLUDE cuda_runtime.h
            HINTS "${nvcc_folder}/../include" "${nvcc_folder}/../targets/x86_64-linux/include")
  # The packages on PyPI have the library itself, but not the name that a linker looks for.
  find_library(FLASHGATE_CUDART_LIBRARY NAMES cudart "libcudart.so.${FLASHGATE_CUDA_MAJOR}" NAMES_PER_DIR
               HINTS "${nvcc_folder}/../lib64" "${nvcc_folder}/../targets/x86_64-linux/lib" "${nvcc_folder}/../lib")
  find_program(FLASHGATE_PTXAS ptxas HINTS "${nvcc_folder}" NO_DEFAULT_PATH)
else()
  message(STATUS "nvcc was not found: CUDA kernels and programs are left out")
endif()

# flashgate_ptx(TARGET NAME SOURCE x.cu ARCH sm_80 [DEFINES A=1 ...] [FLAGS ...]): building TARGET, which exists or is
# made, also makes NAME.ptx in the current binary folder.
function(flashgate_ptx target name)
  cmake_parse_arguments(arg "" "SOURCE;ARCH" "DEFINES;FLAGS" ${ARGN})
  string(REPLACE "sm_" "compute_" virtual_arch "${arg_ARCH}")
  flashgate_run_nvcc(${target} "${name}.ptx" "${arg_SOURCE}" "${arg_DEFINES}" -ptx "-arch=${virtual_arch}" ${arg_FLAGS})
endfunction()

# flashgate_cuda_program(TARGET NAME SOURCE x.cu ARCH sm_80 [DEFINES A=1 ...] [FLAGS ...]): building TARGET, which
# exists or is made, also makes the program NAME in the current binary folder: PTX only, no machine code, and the runtime
# shared.
function(flashgate_cuda_program target name)
  cmake_parse_arguments(arg "" "SOURCE;ARCH" "DEFINES;FLAGS" ${ARGN})
  if(NOT FLASHGATE_CUDART_LIBRARY)
    return()
  endif()
  string(REPLACE "sm_" "compute_" virtual_arch "${arg_ARCH}")
  # `-cudart shared` by the library's path: the same program, and it needs no libcudart.so to link against.
  flashgate_run_nvcc(${target} "${name}" "${arg_SOURCE}" "${arg_DEFINES}" -gencode
                     "arch=${virtual_arch},code=${virtual_arch}" -cudart none -Xlinker "${FLASHGATE_CUDART_LIBRARY}"
                     ${arg_FLAGS})
endfunction()

# flashgate_ptxas_report(TARGET OUTPUT MODULES a b ... ARCHS sm_80 ...): building TARGET, which exists or is made, also
# makes OUTPUT in the current binary folder: what `ptxas -v` says of a.ptx, b.ptx, ... there, for each target of machine
# code. They have to be made by flashgate_ptx() in the same folder.
function(flashgate_ptxas_report target output)
  cmake_parse_arguments(arg "" "" "MODULES;ARCHS" ${ARGN})
  if(NOT FLASHGATE_PTXAS)
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/cmake/RunPtxas.cmake")
  set(reports "")
  foreach(module IN LISTS arg_MODULES)
    set(ptx "${CMAKE_CURRENT_BINARY_DIR}/${module}.ptx")
    set(report "${CMAKE_CURRENT_BINARY_DIR}/${module}.ptxas.txt")
    add_custom_command(
      OUTPUT "${report}"
      COMMAND "${CMAKE_COMMAND}" "-DPTXAS=${FLASHGATE_PTXAS}" "-DARCHS=${arg_ARCHS}" "-DSOURCE=${ptx}"
              "-DOUTPUT=${report}" "-DCACHE=${FLASHGATE_CUDA_CACHE}" -P "${script}"
      DEPENDS "${ptx}" "${script}" "${FLASHGATE_PTXAS}"
      COMMENT "ptxas ${module}" VERBATIM)
    list(APPEND reports "${report}")
  endforeach()
  set(whole "${CMAKE_CURRENT_BINARY_DIR}/${output}")
  add_custom_command(OUTPUT "${whole}" COMMAND "${CMAKE_COMMAND}" -E cat ${reports} > "${whole}" DEPENDS ${reports}
                     COMMENT "ptxas: ${output}" VERBATIM)
  if(NOT TARGET ${target})
    add_custom_target(${target} ALL)
  endif()
  target_sources(${target} PRIVATE "${whole}")
endfunction()

# The part that both have: one command, its dependencies, and the cache. Without nvcc there is nothing to build.
function(flashgate_run_nvcc target name source defines)
  if(NOT FLASHGATE_NVCC)
    return()
  endif()
  get_filename_component(source "${source}" ABSOLUTE)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  list(TRANSFORM defines PREPEND -D)
  # Folders that the caller names come before the tree, so that a header there can stand in for ours.
  set(folders ${ARGN})
  list(FILTER folders INCLUDE REGEX "^-I")
  set(others ${ARGN})
  list(FILTER others EXCLUDE REGEX "^-I")
  set(flags -std=c++20 -O3 -lineinfo ${folders} "-I${PROJECT_SOURCE_DIR}" ${defines} ${others})
  if(FLASHGATE_WARNINGS_AS_ERRORS)
    list(APPEND flags -Werror all-warnings)
  endif()
  set(script "${PROJECT_SOURCE_DIR}/cmake/RunNvcc.cmake")
  add_custom_command(
    OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DNVCC=${FLASHGATE_NVCC}" "-DFLAGS=${flags}" "-DSOURCE=${source}" "-DOUTPUT=${output}"
            "-DDEPFILE=${output}.d" "-DCACHE=${FLASHGATE_CUDA_CACHE}" -P "${script}"
    DEPENDS "${source}" "${script}" "${FLASHGATE_NVCC}"
    DEPFILE "${output}.d"
    COMMENT "nvcc ${name}" VERBATIM)
  if(NOT TARGET ${target})
    add_custom_target(${target} ALL)
  endif()
  target_sources(${target} PRIVATE "${output}")
endfunction()
