// Lets every test program use eight threads, also on a machine with fewer cores: results are compared for 1, 2 and 8.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <optional>

namespace firn {
namespace {

// A test program is a host: it owns the process and may decide this.
class EightWorkers final : public testing::Environment {
  void SetUp() override { limit_.emplace(tbb::global_control::max_allowed_parallelism, 8); }
  void TearDown() override { limit_.reset(); }

  std::optional<tbb::global_control> limit_;
};

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(new EightWorkers);

}  // namespace
}  // namespace firn
