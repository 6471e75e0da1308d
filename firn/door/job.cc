#include "firn/api/job.h"

#include "firn/base/ranks.h"

namespace firn::api {

Job::Job(double timeout) : inner_(join_ranks(timeout)) {}

Job::~Job() = default;

int Job::rank() const {
  return inner_->rank();
}

int Job::size() const {
  return inner_->size();
}

}  // namespace firn::api
