#pragma once
#include "../CSondeLoading/loading.h"
#include <pcap/pcap.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define SONDE_PCAP_LIST(F)                    \
  F(pcap_findalldevs)                         \
  F(pcap_freealldevs)                         \
  F(pcap_fopen_offline_with_tstamp_precision) \
  F(pcap_datalink)                            \
  F(pcap_datalink_val_to_name)                \
  F(pcap_next_ex)                             \
  F(pcap_geterr)                              \
  F(pcap_close)
SONDE_FUNCTIONS(sonde_pcap, SONDE_PCAP_LIST)

// fopencookie(3), which <stdio.h> declares for _GNU_SOURCE alone: a stream whose bytes come from a
// function.
typedef struct {
  ssize_t (*_Nullable read)(void *_Nullable, char *_Nullable, size_t);
  ssize_t (*_Nullable write)(void *_Nullable, const char *_Nullable, size_t);
  int (*_Nullable seek)(void *_Nullable, int64_t *_Nullable, int);
  int (*_Nullable close)(void *_Nullable);
} sonde_stream_functions;

extern FILE *_Nullable sonde_fopencookie(
    void *_Nullable, const char *_Nonnull, sonde_stream_functions) __asm__("fopencookie");

static inline FILE *_Nullable sonde_stream(
    void *_Nullable context, ssize_t (*_Nonnull read)(void *_Nullable, char *_Nullable, size_t)) {
  sonde_stream_functions functions = {.read = read};
  return sonde_fopencookie(context, "r", functions);
}
