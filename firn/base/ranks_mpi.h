// What the implementations of ranks with MPI and without it have in common: their names.
#pragma once

#include <memory>
#include <string>

#include "firn/base/ranks.h"

namespace firn {

// The ranks of MPI_COMM_WORLD; null where Firn was built without MPI.
std::unique_ptr<Ranks> join_mpi(double timeout);

}  // namespace firn
