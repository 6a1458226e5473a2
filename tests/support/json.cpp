#include "support/json.hpp"

template class nlohmann::basic_json<>;
