#pragma once
#include "../CSondeLoading/loading.h"
#include <ares.h>

#define SONDE_ARES_LIST(F)              \
  F(ares_destroy)                       \
  F(ares_free_data)                     \
  F(ares_get_servers_ports)             \
  F(ares_getsock)                       \
  F(ares_init_options)                  \
  F(ares_library_init)                  \
  F(ares_process_fd)                    \
  F(ares_query)                         \
  F(ares_set_servers_ports_csv)         \
  F(ares_set_socket_functions)          \
  F(ares_strerror)                      \
  F(ares_timeout)
SONDE_FUNCTIONS(sonde_ares, SONDE_ARES_LIST)

// An enumeration in later versions than Debian 12's, while most functions still take and return numbers.
static const int sonde_ares_success = ARES_SUCCESS;
static const int sonde_ares_bad_name = ARES_EBADNAME;
static const int sonde_ares_bad_answer = ARES_EBADRESP;
static const int sonde_ares_not_found = ARES_ENOTFOUND;
static const int sonde_ares_timed_out = ARES_ETIMEOUT;
static const int sonde_ares_destroyed = ARES_EDESTRUCTION;
