#include "torsor/dynamics/operational.hpp"

#include <string>
#include <utility>

#include "torsor/model/error.hpp"

namespace torsor {

OperationalTask::OperationalTask(Frame f, Reference r, std::initializer_list<int> chosen)
    : frame(std::move(f)), reference(r), n_rows(static_cast<int>(chosen.size())) {
  if (n_rows < 1 || n_rows > 6)
    throw Error("task of frame '" + frame.name + "': " + std::to_string(n_rows) +
                " rows chosen; 1 to 6 are possible");
  int at = 0, seen = 0;
  for (const int row : chosen) {
    if (row < 0 || row > 5 || (seen >> row & 1))
      throw Error("task of frame '" + frame.name + "': row " + std::to_string(row) +
                  (row < 0 || row > 5 ? " is not one of 0 to 5 (wx, wy, wz, vx, vy, vz)"
                                      : " is chosen twice"));
    seen |= 1 << row;
    rows[at++] = row;
  }
}

TORSOR_OPERATIONAL(, double, double)
TORSOR_OPERATIONAL(, float, float)

}  // namespace torsor
