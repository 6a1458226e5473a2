#include "fuzz/robot_formats.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  torsor::fuzz::check_robot_format(torsor::robot_format("mjcf"), torsor::fuzz::text_of(data, size));
  return 0;
}
