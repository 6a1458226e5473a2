/// What ranks say of themselves and of each other (docs/many-machines.md); tests/mpi runs them.
#include "torsor/experiments/internal/ranks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace torsor::internal {
namespace {

TEST(RankIdentity, whatever_differs_is_named) {
  const RankIdentity first = this_rank("0.2.0");
  EXPECT_EQ(disagreement(first, this_rank("0.2.0")), "");

  RankIdentity other = first;
  other.version = "0.1.9";
  EXPECT_EQ(disagreement(first, other), "is torsor 0.1.9, rank 0 is 0.2.0");
  other = first;
  other.build = "another";
  EXPECT_EQ(disagreement(first, other), "is another build of torsor 0.2.0");
  other = first;
  other.instruction_set = "another";
  EXPECT_EQ(disagreement(first, other), "has the instruction set another, rank 0 has " +
                                            first.instruction_set +
                                            " (TORSOR_ARCH chooses one for all)");
  other = first;
  other.arithmetic = "another";
  EXPECT_NE(disagreement(first, other).find("C library"), std::string::npos);
  other = first;
  other.trouble = "s.yaml: no such file";
  other.job = "another";
  EXPECT_EQ(disagreement(first, other), "s.yaml: no such file");
  other.trouble.clear();
  EXPECT_EQ(disagreement(first, other), "has other files or options than rank 0");
}

/// launch() where the environment has these words of launchers and no others.
Launch launched(const std::map<std::string, std::string>& words) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK",
                           "PMIX_RANK", "SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"})
    ::unsetenv(name);
  for (const auto& [name, value] : words) ::setenv(name.c_str(), value.c_str(), 1);
  return launch();
}

TEST(Launch, is_what_the_launcher_says) {
  Launch a = launched({});
  EXPECT_EQ(a.rank, 0);
  EXPECT_EQ(a.size, 1);
  EXPECT_EQ(a.tasks, 1);

  // mpirun within a batch script of Slurm, whose daemon srun started.
  a = launched({{"OMPI_COMM_WORLD_SIZE", "8"},
                {"OMPI_COMM_WORLD_RANK", "3"},
                {"PMIX_RANK", "3"},
                {"SLURM_NTASKS", "2"},
                {"SLURM_PROCID", "0"},
                {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(a.rank, 3);
  EXPECT_EQ(a.size, 8);
  EXPECT_EQ(a.by, "mpirun");
  EXPECT_EQ(a.tasks, 1);

  // srun --mpi=pmix
  a = launched({{"PMIX_RANK", "1"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_PROCID", "1"},
                {"SLURM_STEP_NUM_TASKS", "4"}});
  EXPECT_EQ(a.rank, 1);
  EXPECT_EQ(a.size, 4);
  EXPECT_EQ(a.by, "srun");

  // srun without MPI: each task is alone, and the first of them can say so.
  a = launched({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  EXPECT_EQ(a.rank, 0);
  EXPECT_EQ(a.size, 1);
  EXPECT_EQ(a.tasks, 4);
  a = launched({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "4"}});
  EXPECT_EQ(a.size, 1);
  EXPECT_EQ(a.rank, 0);
  EXPECT_EQ(a.tasks, 1);

  // A batch script that runs the command itself.
  a = launched({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});
  EXPECT_EQ(a.size, 1);
  EXPECT_EQ(a.tasks, 1);

  // Words that are no numbers are not believed.
  a = launched({{"OMPI_COMM_WORLD_SIZE", "many"}, {"OMPI_COMM_WORLD_RANK", "-1"}});
  EXPECT_EQ(a.size, 1);
}

}  // namespace
}  // namespace torsor::internal
