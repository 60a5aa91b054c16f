#pragma once
#include "../CSondeLoading/loading.h"
#include <openssl/evp.h>

#define SONDE_CRYPTO_LIST(F)    \
  F(EVP_CIPHER_CTX_free)        \
  F(EVP_CIPHER_CTX_new)         \
  F(EVP_CIPHER_CTX_set_padding) \
  F(EVP_EncryptInit_ex)         \
  F(EVP_EncryptUpdate)          \
  F(EVP_aes_128_ecb)
SONDE_FUNCTIONS(sonde_crypto, SONDE_CRYPTO_LIST)
