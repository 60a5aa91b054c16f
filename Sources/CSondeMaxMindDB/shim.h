#pragma once
#include "../CSondeLoading/loading.h"
#include <maxminddb.h>

#define SONDE_MMDB_LIST(F) \
  F(MMDB_close)            \
  F(MMDB_lookup_sockaddr)  \
  F(MMDB_open)             \
  F(MMDB_read_node)        \
  F(MMDB_strerror)
SONDE_FUNCTIONS(sonde_mmdb, SONDE_MMDB_LIST)
