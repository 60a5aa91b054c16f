#pragma once
#include "../CSondeLoading/loading.h"
#include <hiredis/hiredis.h>

#define SONDE_REDIS_LIST(F)      \
  F(freeReplyObject)             \
  F(redisAppendCommandArgv)      \
  F(redisBufferRead)             \
  F(redisBufferWrite)            \
  F(redisConnectUnixWithTimeout) \
  F(redisConnectWithTimeout)     \
  F(redisFree)                   \
  F(redisGetReplyFromReader)     \
  F(redisReaderCreate)           \
  F(redisReaderFree)             \
  F(redisSetTimeout)
SONDE_FUNCTIONS(sonde_redis, SONDE_REDIS_LIST)
