// The C header, in terms of the front door. Nothing may escape: C cannot catch.
#include "firn/c_api.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "firn/api/circuit.h"
#include "firn/base/error.h"

struct firn_circuit {
  firn::api::Circuit circuit;
};

namespace {

thread_local std::string last_error;

// What `work` returns, or `failed` where it throws.
template <class Work, class Result>
Result guarded(Result failed, const Work& work) noexcept {
  try {
    last_error.clear();
    return work();
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "something that is not an exception was thrown";
  }
  return failed;
}

const firn::api::Circuit& checked(const firn_circuit* circuit) {
  if (circuit == nullptr) throw firn::Error("a null pointer was given");
  return circuit->circuit;
}

// Samples of a caller, checked as far as C allows.
template <class T>
std::span<const T> samples_of(const firn_circuit* circuit, const T* samples, std::size_t count, const void* results) {
  const std::size_t features = checked(circuit).shape().size();
  if (count > 0 && (samples == nullptr || results == nullptr)) throw firn::Error("a null pointer was given");
  if (count > std::numeric_limits<std::size_t>::max() / features / sizeof(T))
    throw firn::Error("there are more samples than memory can hold");
  return {samples, count * features};
}

template <class T>
int predict(const firn_circuit* circuit, const T* samples, std::size_t count, std::uint16_t* classes) {
  return guarded(-1, [&] {
    const std::span<const T> values = samples_of(circuit, samples, count, classes);
    std::ranges::copy(circuit->circuit.predict(values, /*threads=*/1), classes);
    return 0;
  });
}

template <class T>
int class_sums(const firn_circuit* circuit, const T* samples, std::size_t count, std::uint32_t* sums) {
  return guarded(-1, [&] {
    const std::span<const T> values = samples_of(circuit, samples, count, sums);
    std::ranges::copy(circuit->circuit.class_sums(values, /*threads=*/1), sums);
    return 0;
  });
}

}  // namespace

const char* firn_version(void) {
  return FIRN_VERSION;
}

const char* firn_last_error(void) {
  return last_error.c_str();
}

firn_circuit* firn_load(const char* file) {
  return guarded(static_cast<firn_circuit*>(nullptr), [&] {
    if (file == nullptr) throw firn::Error("a null pointer was given");
    return new firn_circuit{firn::api::Circuit::load(file)};
  });
}

firn_circuit* firn_load_memory(const void* bytes, size_t size) {
  return guarded(static_cast<firn_circuit*>(nullptr), [&] {
    if (bytes == nullptr) throw firn::Error("a null pointer was given");
    return new firn_circuit{firn::api::Circuit::from_bytes({static_cast<const std::byte*>(bytes), size})};
  });
}

void firn_free(firn_circuit* circuit) {
  delete circuit;
}

size_t firn_channels(const firn_circuit* circuit) {
  return guarded(size_t{0}, [&] { return checked(circuit).shape().channels; });
}
size_t firn_height(const firn_circuit* circuit) {
  return guarded(size_t{0}, [&] { return checked(circuit).shape().height; });
}
size_t firn_width(const firn_circuit* circuit) {
  return guarded(size_t{0}, [&] { return checked(circuit).shape().width; });
}
int firn_takes_floats(const firn_circuit* circuit) {
  return guarded(-1, [&] { return checked(circuit).takes_floats() ? 1 : 0; });
}
size_t firn_classes(const firn_circuit* circuit) {
  return guarded(size_t{0}, [&] { return checked(circuit).classes(); });
}
size_t firn_groups(const firn_circuit* circuit) {
  return guarded(size_t{0}, [&] { return checked(circuit).groups(); });
}
const char* firn_class_name(const firn_circuit* circuit, size_t number) {
  return guarded(static_cast<const char*>(nullptr), [&] {
    const auto& names = checked(circuit).class_names();
    return number < names.size() ? names[number].c_str() : nullptr;
  });
}

int firn_predict_bytes(const firn_circuit* circuit, const uint8_t* samples, size_t count, uint16_t* classes) {
  return predict(circuit, samples, count, classes);
}
int firn_predict_floats(const firn_circuit* circuit, const float* samples, size_t count, uint16_t* classes) {
  return predict(circuit, samples, count, classes);
}
int firn_class_sums_bytes(const firn_circuit* circuit, const uint8_t* samples, size_t count, uint32_t* sums) {
  return class_sums(circuit, samples, count, sums);
}
int firn_class_sums_floats(const firn_circuit* circuit, const float* samples, size_t count, uint32_t* sums) {
  return class_sums(circuit, samples, count, sums);
}
