#pragma once
#include "../CSondeLoading/loading.h"
#include <curl/curl.h>

#define SONDE_CURL_LIST(F)    \
  F(curl_easy_cleanup)        \
  F(curl_easy_getinfo)        \
  F(curl_easy_init)           \
  F(curl_easy_setopt)         \
  F(curl_easy_strerror)       \
  F(curl_free)                \
  F(curl_global_init)         \
  F(curl_multi_add_handle)    \
  F(curl_multi_cleanup)       \
  F(curl_multi_info_read)     \
  F(curl_multi_init)          \
  F(curl_multi_perform)       \
  F(curl_multi_poll)          \
  F(curl_multi_remove_handle) \
  F(curl_multi_setopt)        \
  F(curl_multi_wakeup)        \
  F(curl_slist_append)        \
  F(curl_slist_free_all)      \
  F(curl_url)                 \
  F(curl_url_cleanup)         \
  F(curl_url_get)             \
  F(curl_url_set)
SONDE_FUNCTIONS(sonde_curl, SONDE_CURL_LIST)

// libcurl's setters and getters are variadic, which Swift does not import: one typed entry for each
// kind of argument. Nothing here decides anything. The brackets keep libcurl's macros of the same
// names away.

static inline CURLcode sonde_curl_set_long(
    const sonde_curl *curl, CURL *handle, CURLoption option, long value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_offset(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_off_t value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_text(
    const sonde_curl *curl, CURL *handle, CURLoption option, const char *value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_pointer(
    const sonde_curl *curl, CURL *handle, CURLoption option, const void *value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_list(
    const sonde_curl *curl, CURL *handle, CURLoption option, struct curl_slist *value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_callback(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_write_callback value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_opener(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_sockopt_callback value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_socket_maker(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_opensocket_callback value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_closer(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_closesocket_callback value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_set_prerequest(
    const sonde_curl *curl, CURL *handle, CURLoption option, curl_prereq_callback value) {
  return (curl->curl_easy_setopt)(handle, option, value);
}

static inline CURLcode sonde_curl_get_long(
    const sonde_curl *curl, CURL *handle, CURLINFO info, long *value) {
  return (curl->curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode sonde_curl_get_offset(
    const sonde_curl *curl, CURL *handle, CURLINFO info, curl_off_t *value) {
  return (curl->curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode sonde_curl_get_text(
    const sonde_curl *curl, CURL *handle, CURLINFO info, const char **value) {
  return (curl->curl_easy_getinfo)(handle, info, value);
}

static inline CURLcode sonde_curl_get_pointer(
    const sonde_curl *curl, CURL *handle, CURLINFO info, void **value) {
  return (curl->curl_easy_getinfo)(handle, info, value);
}

static inline CURLMcode sonde_curl_multi_set_long(
    const sonde_curl *curl, CURLM *handle, CURLMoption option, long value) {
  return (curl->curl_multi_setopt)(handle, option, value);
}
