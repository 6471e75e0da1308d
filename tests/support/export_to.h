// Writes a model into a folder, in the format that the name of the file asks for.
#pragma once

#include <string>

#include "firn/study/export_circuit.h"
#include "tests/support/temporary_folder.h"

namespace firn {

inline void export_to(const TemporaryFolder& folder, const CircuitModel& model, const char* file,
                      const ExportParams& params) {
  const std::string path = (folder / file).string();
  write_export(path, export_circuit(model, *format_of_file(path), params));
}

}  // namespace firn
