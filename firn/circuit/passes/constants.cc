#include "firn/circuit/passes/constants.h"

#include "firn/circuit/rewrite.h"

namespace firn::circuit {

void fold_constants(Netlist& netlist) {
  rewrite(netlist, FoldConstant{});
}

}  // namespace firn::circuit
