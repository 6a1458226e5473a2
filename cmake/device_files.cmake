# cmake -DNAMES=a|b -DSOURCE=... -DOUTPUT=... -P device_files.cmake: the text of headers for kernels as
# torsor::internal::device_files().
set(text "#include \"device_files.hpp\"

namespace torsor::internal {
using namespace std::string_view_literals;  // lengths are known, none is counted

static constexpr DeviceFile files[] = {
")
string(REPLACE "|" ";" names "${NAMES}")
foreach(name IN LISTS names)
  if(name MATCHES "^torsor/")
    file(READ ${SOURCE}/include/${name} content)
  else()
    file(READ ${SOURCE}/src/batch/cuda/${name} content)
  endif()
  string(APPEND text "    {\"${name}\", R\"torsor~(${content})torsor~\"sv},\n")
endforeach()
string(APPEND text "};
std::span<const DeviceFile> device_files() { return files; }

}  // namespace torsor::internal
")
file(WRITE ${OUTPUT} "${text}")
