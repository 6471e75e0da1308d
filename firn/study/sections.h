// The sections of a configuration, one file each: a settings struct's keys, documented.
#pragma once

#include "firn/base/key_table.h"
#include "firn/data/settings.h"
#include "firn/discretize/settings.h"
#include "firn/encode/encoding.h"
#include "firn/network/families.h"
#include "firn/study/parts.h"
#include "firn/train/settings.h"

namespace firn::study {

void describe(KeyTable& table, DataSettings& settings);
void describe(KeyTable& table, EncodeSettings& settings);
void describe(KeyTable& table, ModelSettings& settings);
void describe(KeyTable& table, TrainSettings& settings);
void describe(KeyTable& table, ResampleSettings& settings);
void describe(KeyTable& table, AreaSettings& settings);
void describe(KeyTable& table, FreezeSettings& settings, const Parts& parts);

}  // namespace firn::study
