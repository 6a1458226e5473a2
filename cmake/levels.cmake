# Rooms whose sources are compiled for several instruction sets, the best of which is taken when the
# program starts (include/torsor/math/instruction_set.hpp).
#
# Each level is a set of objects, joined into one (ld -r). In it the functions of namespace torsor are
# called after their level, `f.v3`, and all other functions become local, so that no other part of a
# program can be given an inline function compiled for instructions that the machine may lack. A third
# file holds one jump for each function, through a table that the program fills when it starts.
# tests/house/levels_test.cpp reads the symbols.
#
# With TORSOR_HOST_LEVEL (./run) there is one level, the best of this machine; the program says so and ends
# on a machine that lacks it.
#
# It needs x86-64, ELF and the tools of binutils, and sources that carry no -march of their own;
# elsewhere there is one level. LLVM's tools, which CMake takes for clang where they are installed, cannot
# join sections that many objects share (--force-group-allocation).
find_program(TORSOR_GNU_LD NAMES ld.bfd x86_64-linux-gnu-ld.bfd)
find_program(TORSOR_GNU_NM NAMES x86_64-linux-gnu-nm nm)
find_program(TORSOR_GNU_OBJCOPY NAMES x86_64-linux-gnu-objcopy objcopy)
mark_as_advanced(TORSOR_GNU_LD TORSOR_GNU_NM TORSOR_GNU_OBJCOPY)
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
set(levels_default ON)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT processor MATCHES "^(x86_64|amd64)$"
   OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8 OR NOT TORSOR_GNU_NM OR NOT TORSOR_GNU_OBJCOPY OR NOT TORSOR_GNU_LD
   OR "${CMAKE_CXX_FLAGS} $ENV{CXXFLAGS}" MATCHES "-march=|-fsanitize="
   OR CMAKE_INTERPROCEDURAL_OPTIMIZATION OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(levels_default OFF)
endif()
option(TORSOR_LEVELS "Compile the sweeps for several instruction sets and choose at run time"
  ${levels_default})
set(TORSOR_LEVEL_NAMES baseline v3 v4)
option(TORSOR_HOST_LEVEL "Compile for the best level of this machine alone: half of the time, and no other machine" OFF)
if(TORSOR_LEVELS AND TORSOR_HOST_LEVEL)
  file(STRINGS /proc/cpuinfo words REGEX "^flags" LIMIT_COUNT 1)
  string(REGEX REPLACE "[ \t]+" ";" words "${words}")
  set(n_host 0)
  foreach(needed IN ITEMS "avx2;fma;bmi1;bmi2;f16c;abm;movbe" "avx512f;avx512bw;avx512cd;avx512dq;avx512vl")
    list(REMOVE_ITEM needed ${words})
    if(needed)
      break()
    endif()
    math(EXPR n_host "${n_host} + 1")
  endforeach()
  list(GET TORSOR_LEVEL_NAMES ${n_host} TORSOR_LEVEL_NAMES)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/math/instruction_set.cpp PROPERTIES
    COMPILE_DEFINITIONS TORSOR_ONLY_LEVEL=${n_host})
endif()
set(TORSOR_LEVEL_FLAGS_baseline "")
set(TORSOR_LEVEL_FLAGS_v3 -march=x86-64-v3)
set(TORSOR_LEVEL_FLAGS_v4 -march=x86-64-v4)

# torsor_level_objects(target room sources precompile): compiles sources of a room for every level and
# adds what comes out to its target, which has the jumps as a source.
function(torsor_level_objects target room sources precompile)
  set(folder ${PROJECT_BINARY_DIR}/levels/${target})
  file(MAKE_DIRECTORY ${folder})
  set(joined "")
  set(definitions "")
  set(depends "")
  foreach(level IN LISTS TORSOR_LEVEL_NAMES)
    set(objects ${target}_${level})
    add_library(${objects} OBJECT ${sources})
    target_compile_features(${objects} PRIVATE cxx_std_20)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    torsor_own_target(${objects})
    torsor_room_sources(${objects} ${room} "${precompile}")
    target_compile_options(${objects} PRIVATE ${TORSOR_LEVEL_FLAGS_${level}})
    if(room STREQUAL "batch" AND level STREQUAL "baseline")  # few machines use it: no lanes, quick to compile
      target_compile_definitions(${objects} PRIVATE TORSOR_PLAINEST_LEVEL)
    endif()
    set_target_properties(${objects} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF
      POSITION_INDEPENDENT_CODE ON)
    list(APPEND joined ${folder}/${level}.o)
    list(APPEND definitions "-DOBJECTS_${level}=$<JOIN:$<TARGET_OBJECTS:${objects}>,$<SEMICOLON>>")
    list(APPEND depends $<TARGET_OBJECTS:${objects}>)
  endforeach()
  set(script ${PROJECT_SOURCE_DIR}/cmake/level_objects.cmake)
  add_custom_command(OUTPUT ${joined} ${folder}/jumps.cpp
    COMMAND ${CMAKE_COMMAND} -DNAME=${target} -DFOLDER=${folder} "-DLEVELS=${TORSOR_LEVEL_NAMES}"
            ${definitions} -DLINKER=${TORSOR_GNU_LD} -DNM=${TORSOR_GNU_NM} -DOBJCOPY=${TORSOR_GNU_OBJCOPY}
            -P ${script}
    DEPENDS ${depends} ${script}
    COMMENT "Joining the instruction sets of ${target}"
    VERBATIM)
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_source_files_properties(${folder}/jumps.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${joined})
endfunction()
