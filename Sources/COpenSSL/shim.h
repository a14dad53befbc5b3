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

static inline size_t ringhold_pending(BIO *bio) { return (size_t)BIO_pending(bio); }
