// A discrete network that can run: blocks of samples as bits in, counts of each class out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "firn/base/matrix.h"
#include "firn/circuit/netlist.h"
#include "firn/kernels/circuit.h"

namespace firn::infer {

// Words per row of long calls: a row is a cache line. Wider ones were never faster, for circuits from 800 to 72,000
// gates, and up to twice as slow.
inline constexpr std::size_t kBlockWords = kCacheLine / sizeof(std::uint64_t);

// Which rows are counted for each class.
class CountedRows {
 public:
  // `outputs` are cut into equal groups. Node 0 is constant false and node 1 + r is row r.
  CountedRows(const std::vector<Wire>& outputs, std::size_t groups);

  std::size_t groups() const { return groups_.size(); }
  std::size_t planes() const { return planes_; }  // bits that the largest possible count needs

  // counts: [groups][planes][words]
  void count(std::size_t words, const std::uint64_t* rows, std::uint64_t* counts) const;
  // The same of up to eight samples in rows of a byte, as numbers: [groups][samples].
  void count(std::size_t samples, const std::uint8_t* rows, std::uint32_t* counts) const;

 private:
  struct Group {
    std::size_t first, plain, inverted;  // of literals_
    std::uint32_t base;                  // outputs that are constant true
  };
  CountGroup counted(const Group& group) const {
    return {literals_.data() + group.first, group.plain, group.inverted, group.base};
  }

  std::vector<Group> groups_;
  std::vector<std::uint32_t> literals_;
  std::size_t planes_;
};

// The memory of one worker. Blocks have 64 * words samples.
class Runner {
 public:
  virtual ~Runner() = default;

  // Its first rows are the features, one sample per bit. A run may overwrite them.
  virtual Matrix<std::uint64_t>& input() = 0;
  virtual void run_gates() = 0;
  // After run_gates(): the rows that Machine::outputs() and CountedRows speak of, [rows][words].
  virtual const std::uint64_t* rows() const = 0;
  virtual void count() = 0;

  const Matrix<std::uint64_t>& counts() const { return counts_; }  // [groups * planes][words], after count()

 protected:
  explicit Runner(Matrix<std::uint64_t> counts) : counts_(std::move(counts)) {}
  Matrix<std::uint64_t> counts_;
};

// The memory of one worker for up to eight samples, whose values are bytes.
class ByteRunner {
 public:
  virtual ~ByteRunner() = default;

  virtual std::span<std::uint8_t> input() = 0;  // a feature each, bit s is sample s; bits beyond the samples are zero
  virtual void run_gates() = 0;
  virtual void count(std::size_t samples) = 0;

  std::span<const std::uint32_t> counts() const { return counts_; }  // [groups][samples], after count()

 protected:
  explicit ByteRunner(std::size_t groups) : counts_(8 * groups) {}
  std::vector<std::uint32_t> counts_;
};

class Machine {
 public:
  virtual ~Machine() = default;

  virtual std::size_t inputs() const = 0;
  virtual std::size_t gates() const = 0;  // evaluated for each sample
  virtual std::size_t rows() const = 0;   // of memory that a block needs
  virtual const CountedRows& counted() const = 0;
  // Where a run leaves the outputs: node 0 is constant false and node 1 + r is row r of Runner::rows().
  virtual std::vector<Wire> outputs() const = 0;
  virtual std::unique_ptr<Runner> make_runner(std::size_t words) const = 0;  // the machine must outlive it

  // Machines that are prepared for a few samples take rows of one word, whose runners have rows() of their own, and
  // rows of a byte.
  virtual bool takes_few() const { return false; }
  virtual std::unique_ptr<ByteRunner> make_byte_runner() const { return nullptr; }
};

// Rows of `words` words that follow each other without gaps, as kernels want them.
Matrix<std::uint64_t> make_bit_rows(std::size_t rows, std::size_t words);

// Do both give the same counts for 512 random samples? They have the same inputs and groups.
bool count_alike(const Machine& one, const Machine& other, std::uint64_t seed);

// Rows of bits in, [inputs][words], and rows of bits out, [outputs][words].
void run_rows(const Machine& machine, std::size_t words, std::span<const std::uint64_t> in,
              std::span<std::uint64_t> out);

}  // namespace firn::infer
