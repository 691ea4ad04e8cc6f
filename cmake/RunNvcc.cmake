cmake_minimum_required(VERSION 3.25)

# Makes OUTPUT from SOURCE by nvcc, or takes it from the folder CACHE if the same was made before. Run as a script:
#   cmake -DNVCC=... -DFLAGS=A;B -DSOURCE=... -DOUTPUT=... -DDEPFILE=... -DCACHE=... -P RunNvcc.cmake
# "The same" is the compiler's version, the flags, and path and content of every file that is included. The paths count
# because PTX names the files that its lines come from.

# DEPFILE becomes a make rule; a phase such as -ptx among the flags would contradict -M.
set(preprocessor_flags ${FLAGS})
list(REMOVE_ITEM preprocessor_flags -ptx)
execute_process(COMMAND "${NVCC}" ${preprocessor_flags} -M -MT "${OUTPUT}" -MF "${DEPFILE}" "${SOURCE}"
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${NVCC}" --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)

file(READ "${DEPFILE}" rule)
string(REGEX REPLACE "^[^\n]* : |\\\\\n" " " rule "${rule}")
separate_arguments(files UNIX_COMMAND "${rule}")
set(ingredients "${version}\n${FLAGS}\n")
foreach(file IN LISTS files)
  file(SHA256 "${file}" hash)
  string(APPEND ingredients "${hash} ${file}\n")
endforeach()
string(SHA256 key "${ingredients}")

if(NOT EXISTS "${CACHE}/${key}")
  execute_process(COMMAND "${NVCC}" ${FLAGS} -o "${OUTPUT}" "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
  # Renamed into place, so that another build never sees half a file.
  string(RANDOM LENGTH 12 suffix)
  file(MAKE_DIRECTORY "${CACHE}")
  file(COPY_FILE "${OUTPUT}" "${CACHE}/${key}.${suffix}")
  file(RENAME "${CACHE}/${key}.${suffix}" "${CACHE}/${key}")
else()
  file(COPY_FILE "${CACHE}/${key}" "${OUTPUT}")
  file(TOUCH "${OUTPUT}")
endif()
