// Several processes that train one network together.
#pragma once

#include <memory>

namespace firn {
class Ranks;
}  // namespace firn

namespace firn::api {

// The processes that mpirun or srun has started as one job, of which this is one; without such a launcher, this process
// alone. Make it once, near the start of main(), and use it on that thread. Every process must make the same calls with
// the same data and options; results do not depend on how many there are.
class Job {
 public:
  // `timeout`: how many seconds a process may be silent while another one waits for it; an Error follows.
  explicit Job(double timeout = 120);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int rank() const;  // from 0, which writes files
  int size() const;

  Ranks& inner() const { return *inner_; }  // for Firn itself

 private:
  std::unique_ptr<Ranks> inner_;
};

}  // namespace firn::api
