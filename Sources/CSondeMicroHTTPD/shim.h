#pragma once
#include "../CSondeLoading/loading.h"
#include <microhttpd.h>

#define SONDE_MHD_LIST(F)             \
  F(MHD_add_response_header)          \
  F(MHD_create_response_from_buffer)  \
  F(MHD_create_response_from_callback) \
  F(MHD_destroy_response)             \
  F(MHD_get_connection_info)          \
  F(MHD_get_connection_values)        \
  F(MHD_get_version)                  \
  F(MHD_queue_response)               \
  F(MHD_quiesce_daemon)               \
  F(MHD_resume_connection)            \
  F(MHD_start_daemon)                 \
  F(MHD_stop_daemon)                  \
  F(MHD_suspend_connection)
SONDE_FUNCTIONS(sonde_mhd, SONDE_MHD_LIST)

// What Swift does not import: variadic functions, constants behind casts. Nothing here decides
// anything.

/// What a server calls; `context` is given to each.
typedef struct {
  MHD_AccessHandlerCallback _Nonnull request;
  MHD_RequestCompletedCallback _Nonnull completed;
  MHD_NotifyConnectionCallback _Nonnull connection;
  void *_Nullable (*_Nonnull target)(
      void *_Nullable context, const char *_Nonnull target, struct MHD_Connection *_Nonnull);
  size_t (*_Nonnull unescape)(
      void *_Nullable context, struct MHD_Connection *_Nullable, char *_Nonnull text);
  void *_Nullable context;
} sonde_mhd_callbacks;

/// What TLS needs, all of it text: the certificates and the key as PEM, and what GnuTLS is to allow.
typedef struct {
  const char *_Nullable certificates;
  const char *_Nullable key;
  const char *_Nullable priorities;
} sonde_mhd_tls;

/// Without certificates there is no TLS.
static inline struct MHD_Daemon *_Nullable sonde_mhd_start(
    const sonde_mhd *_Nonnull mhd, int socket, unsigned connections, unsigned idle_seconds,
    size_t memory, sonde_mhd_callbacks callbacks, sonde_mhd_tls tls) {
  struct MHD_OptionItem secured[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)tls.certificates},
      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)tls.key},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls.priorities},
      {MHD_OPTION_END, 0, NULL}};
  return mhd->MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (tls.certificates ? MHD_USE_TLS : 0),
      0, NULL, NULL,
      callbacks.request, callbacks.context,
      MHD_OPTION_ARRAY, tls.certificates ? secured : secured + 3,
      MHD_OPTION_LISTEN_SOCKET, socket,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks.connection, callbacks.context,
      MHD_OPTION_URI_LOG_CALLBACK, callbacks.target, callbacks.context,
      MHD_OPTION_UNESCAPE_CALLBACK, callbacks.unescape, callbacks.context,
      MHD_OPTION_END);
}

static inline int sonde_mhd_descriptor(
    const sonde_mhd *_Nonnull mhd, struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *_Nullable sonde_mhd_peer(
    const sonde_mhd *_Nonnull mhd, struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// The bytes from a request's method to the end of its header; -1 where they are not known.
static inline ssize_t sonde_mhd_header_size(
    const sonde_mhd *_Nonnull mhd, struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? (ssize_t)info->header_size : -1;
}

/// What the notice of the connection's start left.
static inline void *_Nullable sonde_mhd_socket_context(
    const sonde_mhd *_Nonnull mhd, struct MHD_Connection *_Nonnull connection) {
  const union MHD_ConnectionInfo *info =
      mhd->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static inline ssize_t sonde_mhd_end(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t sonde_mhd_failure(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
static inline uint64_t sonde_mhd_unknown_size(void) { return MHD_SIZE_UNKNOWN; }
