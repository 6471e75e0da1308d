// The sections of a configuration, one file each: a settings struct's keys, documented.
#pragma once

#include "firn/cli/key_table.h"
#include "firn/data/settings.h"
#include "firn/encode/encoding.h"

namespace firn {

void describe(KeyTable& table, DataSettings& settings);
void describe(KeyTable& table, EncodeSettings& settings);

}  // namespace firn
