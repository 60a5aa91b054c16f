#pragma once
#include "../CSondeLoading/loading.h"
#include <hiredis/hiredis.h>

// The library of the headers, Debian 12's or 13's: the structures of the two differ.
#if HIREDIS_MAJOR == 0
#define SONDE_HIREDIS_LIBRARY "libhiredis.so.0.14"
#define SONDE_HIREDIS_PACKAGE "libhiredis0.14"
#else
#define SONDE_HIREDIS_LIBRARY "libhiredis.so.1.1.0"
#define SONDE_HIREDIS_PACKAGE "libhiredis1.1.0"
#endif

#define SONDE_REDIS_LIST(F)         \
  F(freeReplyObject)                \
  F(redisReaderCreate)              \
  F(redisReaderCreateWithFunctions) \
  F(redisReaderFeed)                \
  F(redisReaderFree)                \
  F(redisReaderGetReply)
SONDE_FUNCTIONS(sonde_redis, SONDE_REDIS_LIST)
