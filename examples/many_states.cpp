// A million states at a time: arrays that NumPy wrote go through in blocks, and NumPy reads the torques.
#include <cmath>
#include <filesystem>
#include <iostream>

#include "torsor/torsor.hpp"

using namespace torsor;

int main() {
  const Model<double> robot = load_robot("panda");
  const int n = robot.n_v(), block = 512, blocks = 20;
  const std::string folder =
      (std::filesystem::temp_directory_path() / "torsor_many_states").string();
  std::filesystem::create_directories(folder);

  NpyWriter made(folder + "/q.npy", {block * blocks, n});  // numpy.save("q.npy", q)
  Array<double> q(block * n), tau(block * n);
  for (int b = 0; b < blocks; ++b) {
    for (int k = 0; k < q.size(); ++k) q[k] = std::sin(0.001 * (b * q.size() + k));
    made.write(q);
  }
  made.commit();

  NpyReader states(folder + "/q.npy");
  NpyWriter torques(folder + "/gravity.npy", states.shape());
  RneaWorkspace<double> ws(robot);
  for (int b = 0; b < blocks; ++b) {
    states.read(q);
    for (int k = 0; k < block; ++k)
      gravity_torque(robot, ws, In<double>(q.data() + k * n, n),
                     Out<double>(tau.data() + k * n, n));
    torques.write(tau);
  }
  torques.commit();  // numpy.load("gravity.npy")

  NpyReader answer(folder + "/gravity.npy");
  answer.read({tau.data(), n});
  std::cout << shape_text(answer.shape()) << ", the first:";
  for (int k = 0; k < n; ++k) std::cout << ' ' << tau[k];
  std::cout << "  N m\n";
  std::filesystem::remove_all(folder);
}
