// Pruned trees by their shape, which the compiler knows, so that they are evaluated in registers.
#if defined(FIRN_KERNELS_TREE_SHAPES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRN_KERNELS_TREE_SHAPES_INL_H_
#undef FIRN_KERNELS_TREE_SHAPES_INL_H_
#else
#define FIRN_KERNELS_TREE_SHAPES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <utility>

#include "firn/kernels/rows-inl.h"
#include "firn/kernels/tree.h"

HWY_BEFORE_NAMESPACE();
namespace firn::kernels {
namespace HWY_NAMESPACE {

struct Leaf {
  static constexpr int kLeaves = 1, kGates = 0;
};

// A gate over two shapes. Its leaves and gates are those of A, those of B, and then the gate itself.
template <class A, class B>
struct Branch {
  static constexpr int kLeaves = A::kLeaves + B::kLeaves, kGates = A::kGates + B::kGates + 1;
};

template <int kShape, int kLevels>
struct ShapeOf {
  static constexpr int kBelow = kTreeShapes[kLevels - 1];
  using Type = Branch<typename ShapeOf<(kShape - 1) / kBelow, kLevels - 1>::Type,
                      typename ShapeOf<(kShape - 1) % kBelow, kLevels - 1>::Type>;
};
template <int kLevels>
struct ShapeOf<0, kLevels> {
  using Type = Leaf;
};

template <int kShape>
using Shape = typename ShapeOf<kShape, kShapeLevels>::Type;

// Kernel::Run of every shape, by its number.
template <class Kernel, std::size_t... kIds>
constexpr auto OfEachShape(std::index_sequence<kIds...>) {
  return std::array{&Kernel::template Run<Shape<static_cast<int>(kIds)>>...};
}
template <class Kernel>
inline constexpr auto kOfShape = OfEachShape<Kernel>(std::make_index_sequence<kTreeShapes[kShapeLevels]>());

// Where the leaves of one tree are, and a copy of its coefficients, in the order of its shape: what the compiler knows
// the place of is read without another load.
template <class S>
struct TreeAt {
  HWY_INLINE TreeAt(const TreeConv& conv, std::size_t k, const TreeProgram& program, std::size_t samples) {
    const std::size_t leaves = std::size_t{1} << conv.depth;
    const float* own = conv.coefficients + k * 4 * (leaves - 1);
    for (int l = 0; l < S::kLeaves; ++l) leaf[l] = conv.leaves[k * leaves + program.leaves[l]] * samples;
    for (int g = 0; g < S::kGates; ++g) std::copy_n(own + 4 * program.steps[g].gate, 4, coefficients + 4 * g);
  }

  std::size_t leaf[S::kLeaves];                          // floats from the first row
  HWY_ALIGN float coefficients[4 * S::kGates + 4] = {};  // a leaf alone has none
};

}  // namespace HWY_NAMESPACE
}  // namespace firn::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
