#pragma once
/// Numbers as text for a page. Private to this room.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::internal {

/// Little-endian in base64 (RFC 4648, section 4).
std::string base64(const std::vector<float>& numbers);
std::string base64(const std::vector<std::uint32_t>& numbers);

/// JSON that may stand inside a <script> of HTML and of XML: < > & as \u003c \u003e \u0026.
std::string inert(std::string_view json);

}  // namespace torsor::internal
