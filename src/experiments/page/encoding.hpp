#pragma once
/// Numbers as text for a page. Private to this room.
#include <cstdint>
#include <string>
#include <vector>

namespace torsor::internal {

/// Little-endian in base64 (RFC 4648, section 4).
std::string base64(const std::vector<float>& numbers);
std::string base64(const std::vector<std::uint32_t>& numbers);

}  // namespace torsor::internal
