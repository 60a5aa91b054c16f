#pragma once
#include "../CSondeLoading/loading.h"
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

#define SONDE_CRYPTO_LIST(F)    \
  F(EVP_CIPHER_CTX_free)        \
  F(EVP_CIPHER_CTX_new)         \
  F(EVP_CIPHER_CTX_set_padding) \
  F(EVP_EncryptInit_ex)         \
  F(EVP_EncryptUpdate)          \
  F(EVP_aes_128_ecb)
SONDE_FUNCTIONS(sonde_crypto, SONDE_CRYPTO_LIST)

#define SONDE_TLS_LIST(F)             \
  F(ERR_clear_error)                  \
  F(ERR_get_error)                    \
  F(ERR_reason_error_string)          \
  F(SSL_CTX_check_private_key)        \
  F(SSL_CTX_ctrl)                     \
  F(SSL_CTX_free)                     \
  F(SSL_CTX_load_verify_locations)    \
  F(SSL_CTX_new)                      \
  F(SSL_CTX_set_default_passwd_cb)    \
  F(SSL_CTX_set_default_verify_paths) \
  F(SSL_CTX_set_verify)               \
  F(SSL_CTX_use_PrivateKey_file)      \
  F(SSL_CTX_use_certificate_chain_file) \
  F(SSL_connect)                      \
  F(SSL_ctrl)                         \
  F(SSL_free)                         \
  F(SSL_get_error)                    \
  F(SSL_get_verify_result)            \
  F(SSL_new)                          \
  F(SSL_read)                         \
  F(SSL_set1_host)                    \
  F(SSL_set_fd)                       \
  F(SSL_write)                        \
  F(TLS_client_method)                \
  F(X509_verify_cert_error_string)
SONDE_FUNCTIONS(sonde_tls, SONDE_TLS_LIST)
