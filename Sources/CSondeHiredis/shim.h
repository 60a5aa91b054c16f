#pragma once
#include "../CSondeLoading/loading.h"
#include <hiredis/hiredis.h>

#define SONDE_REDIS_LIST(F)         \
  F(freeReplyObject)                \
  F(redisReaderCreate)              \
  F(redisReaderCreateWithFunctions) \
  F(redisReaderFeed)                \
  F(redisReaderFree)                \
  F(redisReaderGetReply)
SONDE_FUNCTIONS(sonde_redis, SONDE_REDIS_LIST)
