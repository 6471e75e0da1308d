// How parts show their state to checkpoints: one function visits every array, for saving and for loading alike.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "firn/base/matrix.h"

namespace firn {

// A saving visitor reads the arrays, a loading one fills them. Sizes are fixed by the configuration, so a stored array
// of another size belongs to another model and is refused by the loader.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void visit(const std::string& name, std::span<float> values) = 0;
  virtual void visit(const std::string& name, std::span<double> values) = 0;
  virtual void visit(const std::string& name, std::span<std::uint8_t> values) = 0;
  virtual void visit(const std::string& name, std::span<std::int8_t> values) = 0;
  virtual void visit(const std::string& name, std::span<std::uint32_t> values) = 0;
  virtual void visit(const std::string& name, std::span<std::uint64_t> values) = 0;
  virtual void visit(const std::string& name, Matrix<float>& rows) = 0;
};

}  // namespace firn
