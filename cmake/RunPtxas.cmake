cmake_minimum_required(VERSION 3.25)

# Makes OUTPUT, what `ptxas -v` says of the PTX file SOURCE for each of ARCHS, or takes it from the folder CACHE if the
# same was made before. Run as a script:
#   cmake -DPTXAS=... -DARCHS=sm_80;sm_90a -DSOURCE=... -DOUTPUT=... -DCACHE=... -P RunPtxas.cmake
execute_process(COMMAND "${PTXAS}" --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 "${SOURCE}" hash)
string(SHA256 key "ptxas ${version}\n${ARCHS}\n${hash}")

if(NOT EXISTS "${CACHE}/${key}")
  set(report "")
  foreach(arch IN LISTS ARCHS)
    execute_process(COMMAND "${PTXAS}" -v "-arch=${arch}" -o "${OUTPUT}.cubin" "${SOURCE}"
                    ERROR_VARIABLE text RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "ptxas -arch=${arch} ${SOURCE}:\n${text}")
    endif()
    # How long it took differs from run to run.
    string(REGEX REPLACE "ptxas info    : Compile time = [^\n]*\n" "" text "${text}")
    string(APPEND report "${text}")
  endforeach()
  file(REMOVE "${OUTPUT}.cubin")
  string(RANDOM LENGTH 12 suffix)
  file(WRITE "${CACHE}/${key}.${suffix}" "${report}")
  file(RENAME "${CACHE}/${key}.${suffix}" "${CACHE}/${key}")
endif()
file(COPY_FILE "${CACHE}/${key}" "${OUTPUT}")
file(TOUCH "${OUTPUT}")
