#pragma once
#include "../CSondeLoading/loading.h"
#include <libloc/libloc.h>
#include <libloc/as.h>
#include <libloc/country.h>
#include <libloc/database.h>
#include <libloc/network.h>
#include <libloc/writer.h>

#define SONDE_LOC_LIST(F)           \
  F(loc_as_get_name)                \
  F(loc_as_unref)                   \
  F(loc_country_get_continent_code) \
  F(loc_country_get_name)           \
  F(loc_country_unref)              \
  F(loc_database_created_at)        \
  F(loc_database_get_as)            \
  F(loc_database_get_country)       \
  F(loc_database_lookup)            \
  F(loc_database_new)               \
  F(loc_database_unref)             \
  F(loc_network_get_asn)            \
  F(loc_network_get_country_code)   \
  F(loc_network_has_flag)           \
  F(loc_network_prefix)             \
  F(loc_network_unref)              \
  F(loc_new)                        \
  F(loc_set_log_priority)           \
  F(loc_unref)
SONDE_FUNCTIONS(sonde_loc, SONDE_LOC_LIST)
