// Folders that change their names whole, for processes on many machines that see one file system and share no lock.
#pragma once

#include <filesystem>

#include "firn/base/rooms.h"

namespace firn {

// Gives a folder that is not empty another name in the same file system. False where a folder of that name is there
// already that is not empty, or where `from` is gone: of many who move a folder, or move folders to one name, exactly
// one succeeds. Network file systems promise that, too. Folders on the way to `to` are made.
bool move_folder(const std::filesystem::path& from, const std::filesystem::path& to);

// Removes a folder with all it holds, by way of the name `aside`: whoever uses the folder under its own name meanwhile,
// or moves it, has either all of it or nothing. What cannot be removed is left there.
void remove_folder(const std::filesystem::path& folder, const std::filesystem::path& aside);

}  // namespace firn
