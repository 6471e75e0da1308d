/* Firn from C: load a compiled circuit and predict. Every function may be called from several threads at once, also on
 * the same circuit. Functions that return int return -1 when they fail, those that return size_t 0, and those that
 * return a pointer NULL; firn_last_error() then says why. */
#ifndef FIRN_C_API_H
#define FIRN_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_circuit firn_circuit;

const char* firn_version(void);

/* One sentence about the last failure in this thread; empty if there was none. Valid until the next call. */
const char* firn_last_error(void);

/* A .firn file, or its bytes, which need not outlive the call. NULL when it fails. */
firn_circuit* firn_load(const char* file);
firn_circuit* firn_load_memory(const void* bytes, size_t size);
void firn_free(firn_circuit* circuit); /* NULL is fine */

/* Shape of a sample; features are numbered (channel * height + line) * width + column. */
size_t firn_channels(const firn_circuit* circuit);
size_t firn_height(const firn_circuit* circuit);
size_t firn_width(const firn_circuit* circuit);
int firn_takes_floats(const firn_circuit* circuit); /* 1: samples are floats; 0: bytes */

size_t firn_classes(const firn_circuit* circuit);
size_t firn_groups(const firn_circuit* circuit); /* class sums per sample: one per class, or 1 for two classes */
const char* firn_class_name(const firn_circuit* circuit, size_t number); /* NULL where classes have no names */

/* samples: [count][features]; classes: [count]; sums: [count][groups], how many outputs of each group are set. */
int firn_predict_bytes(const firn_circuit* circuit, const uint8_t* samples, size_t count, uint16_t* classes);
int firn_predict_floats(const firn_circuit* circuit, const float* samples, size_t count, uint16_t* classes);
int firn_class_sums_bytes(const firn_circuit* circuit, const uint8_t* samples, size_t count, uint32_t* sums);
int firn_class_sums_floats(const firn_circuit* circuit, const float* samples, size_t count, uint32_t* sums);

#ifdef __cplusplus
}
#endif

#endif
