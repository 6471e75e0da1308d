// Calls whoever listens.
#pragma once

namespace firn::study {

template <class Callback, class... Arguments>
void tell(const Callback& callback, const Arguments&... arguments) {
  if (callback) callback(arguments...);
}

}  // namespace firn::study
