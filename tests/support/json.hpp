#pragma once
/// JSON, whose class of values is compiled once, in json.cpp, for all tests.
#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
