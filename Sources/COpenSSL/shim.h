#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Everything below wraps a macro, which Swift cannot call.

static inline int ringhold_min_version(SSL_CTX *context, int version) { return SSL_CTX_set_min_proto_version(context, version); }

static inline int ringhold_max_version(SSL_CTX *context, int version) { return SSL_CTX_set_max_proto_version(context, version); }

// Fewer bytes held by a connection that is idle.
static inline void ringhold_lean_mode(SSL_CTX *context) { SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS); }

static inline void ringhold_safe_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
}

static inline int ringhold_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int ringhold_server_name(SSL *ssl, const char *name) { return (int)SSL_set_tlsext_host_name(ssl, name); }

// Every connection proves its certificates anew: a session that goes on where another ended would keep one that has expired since.
static inline void ringhold_no_resumption(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int ringhold_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

// NULL where the name is of another kind.
static inline const ASN1_IA5STRING *ringhold_dns_name(const GENERAL_NAMES *names, int index) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  return name->type == GEN_DNS ? name->d.dNSName : NULL;
}

static inline size_t ringhold_pending(BIO *bio) { return (size_t)BIO_pending(bio); }

// OSSL_PARAM keeps pointers to its names, and a Swift string does not stay where it is longer than one call: so what is made of
// parameters is made here.

static inline int ringhold_mac_digest(EVP_MAC_CTX *context, const char *digest) {
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(context, parameters);
}

// An X25519 key of these 32 bytes each, made in a context that EVP_PKEY_fromdata_init prepared. NULL where there is no memory.
static inline EVP_PKEY *ringhold_x25519_key(EVP_PKEY_CTX *context, const unsigned char *point, const unsigned char *scalar) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 32),
                             OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)scalar, 32), OSSL_PARAM_construct_end()};
  return EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) == 1 ? key : NULL;
}

// A P-256 key: the point as 65 bytes and, for a private key, the scalar as 32, most significant first. NULL for none that exists.
static inline EVP_PKEY *ringhold_p256_key(const unsigned char *point, const unsigned char *scalar) {
  EVP_PKEY *key = NULL;
  BIGNUM *number = scalar ? BN_bin2bn(scalar, 32, BN_secure_new()) : NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  OSSL_PARAM *parameters = NULL;
  if (builder && context && (number || !scalar)
      && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0)
      && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65)
      && (!number || OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number))
      && (parameters = OSSL_PARAM_BLD_to_param(builder)) && EVP_PKEY_fromdata_init(context) == 1) {
    if (EVP_PKEY_fromdata(context, &key, scalar ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
  }
  OSSL_PARAM_free(parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_BLD_free(builder);
  BN_clear_free(number);
  return key;
}
