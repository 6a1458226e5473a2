# The GPU part of batch (docs/gpu.md): TORSOR_BUILD_CUDA is AUTO (where CUDA's headers are found), ON or OFF.
#
# The text of the kernels is compiled into the library, which compiles it at run time by NVRTC or nvcc. Kernels of
# chains of 1 to 8 hinges, and the rolled ones for any robot, are also compiled ahead by nvcc for sm_90, with PTX:
# with ON, and with AUTO where a device is present, because that takes a core two to three minutes. Nothing of CUDA
# is linked: the driver is found when the program runs.
set(TORSOR_BUILD_CUDA AUTO CACHE STRING "The GPU part of batch: AUTO (where CUDA is found), ON, OFF")
set(cuda_sources device.cpp device_batch.cpp no_device.cpp driver.cpp compile.cpp)
list(TRANSFORM cuda_sources PREPEND ${PROJECT_SOURCE_DIR}/src/batch/cuda/)
set_source_files_properties(${cuda_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
if(TORSOR_BUILD_CUDA STREQUAL "ON")
  find_package(CUDAToolkit REQUIRED)
elseif(TORSOR_BUILD_CUDA)
  find_package(CUDAToolkit QUIET)
endif()
if(NOT TORSOR_BUILD_CUDA OR NOT CUDAToolkit_FOUND OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

# What program.cu includes. tests/device/compile.sh holds the list to the compiler's.
file(STRINGS ${PROJECT_SOURCE_DIR}/src/batch/cuda/headers.txt device_headers)
set(device_texts "")
foreach(name IN LISTS device_headers)
  if(name MATCHES "^torsor/")
    list(APPEND device_texts ${PROJECT_SOURCE_DIR}/include/${name})
  else()
    list(APPEND device_texts ${PROJECT_SOURCE_DIR}/src/batch/cuda/${name})
  endif()
endforeach()
set(folder ${PROJECT_BINARY_DIR}/cuda)
list(JOIN device_headers "|" joined)
add_custom_command(OUTPUT ${folder}/device_files.cpp
  COMMAND ${CMAKE_COMMAND} -DNAMES=${joined} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${folder}/device_files.cpp -P ${PROJECT_SOURCE_DIR}/cmake/device_files.cmake
  DEPENDS ${device_texts} ${PROJECT_SOURCE_DIR}/cmake/device_files.cmake
  COMMENT "Embedding the text of the kernels"
  VERBATIM)

set(codes "")
set(code_text "#include \"device_files.hpp\"\n")
set(table "")
if(CUDAToolkit_NVCC_EXECUTABLE AND (TORSOR_BUILD_CUDA STREQUAL "ON" OR EXISTS /dev/nvidia0))
  foreach(number IN ITEMS double float)
    foreach(shape IN ITEMS chain1 chain2 chain3 chain4 chain5 chain6 chain7 chain8
                           chain2_right chain3_right chain4_right chain5_right chain6_right chain7_right chain8_right
                           any)
      set(name ${shape}_${number})
      if(shape STREQUAL "any")
        set(type AnyShape)
        set(flag -DTORSOR_ROLLED)
      else()
        string(REGEX REPLACE "chain(.)_right" "HingeChainShape<\\1, true>" type ${shape})
        string(REGEX REPLACE "chain(.)" "HingeChainShape<\\1>" type ${type})
        set(flag -DTORSOR_CHAIN)
      endif()
      file(CONFIGURE OUTPUT ${folder}/${name}.hpp CONTENT
        "namespace torsor::internal {\nusing DeviceReal = ${number};\nusing Shape = ${type};\n}\n")
      add_custom_command(OUTPUT ${folder}/${name}.fatbin
        COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -std=c++20 --expt-relaxed-constexpr -DNDEBUG ${flag}
                -DTORSOR_SHAPE="${folder}/${name}.hpp" -gencode arch=compute_90,code=[sm_90,compute_90]
                -I${PROJECT_SOURCE_DIR}/include -fatbin -o ${folder}/${name}.fatbin
                ${PROJECT_SOURCE_DIR}/src/batch/cuda/program.cu
        DEPENDS ${device_texts} ${folder}/${name}.hpp
        COMMENT "Compiling kernels: ${name}"
        VERBATIM)
      list(APPEND codes ${folder}/${name}.fatbin)
      string(APPEND code_text
        "asm(\".section .rodata\\n.balign 16\\n.globl torsor_${name}\\n.hidden torsor_${name}\\n\"\n"
        "    \"torsor_${name}: .incbin \\\"${folder}/${name}.fatbin\\\"\\n\"\n"
        "    \".globl torsor_${name}_end\\n.hidden torsor_${name}_end\\ntorsor_${name}_end: .byte 0\\n.text\\n\");\n"
        "extern \"C\" const char torsor_${name}[], torsor_${name}_end[];\n")
      string(APPEND table
        "      {\"${name}\", {torsor_${name}, static_cast<std::size_t>(torsor_${name}_end - torsor_${name})}},\n")
    endforeach()
  endforeach()
endif()
string(APPEND code_text "std::span<const torsor::internal::DeviceFile> torsor::internal::device_codes() {\n")
if(table)
  string(APPEND code_text "  static const DeviceFile codes[] = {\n${table}  };\n  return codes;\n}\n")
else()
  string(APPEND code_text "  return {};\n}\n")
endif()
file(CONFIGURE OUTPUT ${folder}/device_codes.cpp CONTENT "${code_text}" @ONLY)
set_source_files_properties(${folder}/device_codes.cpp PROPERTIES OBJECT_DEPENDS "${codes}")
set_source_files_properties(${folder}/device_files.cpp ${folder}/device_codes.cpp PROPERTIES
  SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -Wno-overlength-strings
  INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/src/batch/cuda)
list(TRANSFORM CUDAToolkit_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE includes)
set_source_files_properties(${cuda_sources} PROPERTIES COMPILE_DEFINITIONS TORSOR_HAS_CUDA
  COMPILE_OPTIONS "${includes}")
target_sources(torsor_batch PRIVATE ${folder}/device_files.cpp ${folder}/device_codes.cpp)
target_link_libraries(torsor_batch PRIVATE ${CMAKE_DL_LIBS})
