// A step allocates nothing once everything has its size: counted at malloc itself.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstddef>

#include "firn/train/optimizer.h"
#include "firn/train/step.h"
#include "tests/support/random_models.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)

namespace {
std::atomic<std::size_t> allocations = 0;
}

// The allocator of the C library under its inner names, behind a counter; operator new ends here too.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++allocations;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace firn {
namespace {

// Allocations in ten steps after three to warm up.
std::size_t allocations_in_steps(const TinyFamily& family, std::size_t frozen_groups, bool hard, int thread_count) {
  const auto model = family.make(1);
  for (std::size_t g = 0; g < frozen_groups; ++g) freeze_to_argmax(*model->neurons()[g]);
  Threads threads(thread_count);
  RandomBatch batch(*model, 50, true, 1);
  BatchStep step(*model, loss_from_name("cross-entropy"), 50, 16, threads);
  const auto optimizer = make_optimizer(*model, {.clip = 1});
  LogitGradients gradients(*model);
  const std::vector<float> temperatures(model->neurons().size(), 1.f);
  const std::vector<WeightPlan> plans{{.hard = hard}};
  const auto run = [&](int steps) {
    for (int t = 0; t < steps; ++t) {
      step.run(batch, plans);
      gradients.assign(step.scores(), temperatures);
      optimizer->update(*model, gradients, 0.02, threads);
    }
  };
  run(3);
  const std::size_t before = allocations;
  run(10);
  return allocations - before;
}

TEST(Allocation, TheCounterSeesNewAndAlignedMemory) {
  const std::size_t before = allocations;
  const auto p = std::make_unique<Matrix<float>>(3, 3);
  EXPECT_GE(allocations - before, 2u);
}

TEST(Allocation, AStepOnOneThreadAllocatesNothing) {
  for (const TinyFamily& family : kTinyFamilies)
    for (const std::size_t frozen_groups : {0, 1, 2})
      for (const bool hard : {false, true})
        EXPECT_EQ(allocations_in_steps(family, frozen_groups, hard, 1), 0u)
            << family.name << " " << frozen_groups << " " << hard;
}

}  // namespace
}  // namespace firn

#endif
