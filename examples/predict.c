/* Predicts with a compiled circuit from C: predict_from_c MODEL.firn < SAMPLES. One class per line. */
#include <firn/c_api.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: predict_from_c MODEL.firn < SAMPLES\n");
    return 2;
  }
  firn_circuit* circuit = firn_load(argv[1]);
  if (circuit == NULL) {
    fprintf(stderr, "%s\n", firn_last_error());
    return 1;
  }
  const size_t features = firn_channels(circuit) * firn_height(circuit) * firn_width(circuit);
  uint8_t* sample = malloc(features);
  int failed = sample == NULL;
  while (!failed && fread(sample, 1, features, stdin) == features) {
    uint16_t number;
    failed = firn_predict_bytes(circuit, sample, 1, &number) != 0;
    if (!failed) {
      const char* name = firn_class_name(circuit, number);
      if (name != NULL)
        printf("%s\n", name);
      else
        printf("%u\n", (unsigned)number);
    }
  }
  if (failed) fprintf(stderr, "%s\n", firn_last_error());
  free(sample);
  firn_free(circuit);
  return failed;
}
