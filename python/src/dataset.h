// A data set together with the arrays that it looks at.
#pragma once

#include "arrays.h"

namespace firn::python {

struct HeldDataset {
  Dataset data;
  std::vector<py::object> arrays;  // whose memory the data set shows
};

}  // namespace firn::python
