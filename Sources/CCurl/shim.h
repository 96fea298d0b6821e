#ifndef GYMMIGRATE_CCURL_SHIM_H
#define GYMMIGRATE_CCURL_SHIM_H

#include <curl/curl.h>

// curl's own headers wrap the variadic setters in type-checking macros; the wrappers below are the checks here.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

typedef size_t (*gm_curl_data_callback)(char *_Nonnull data, size_t size, size_t count, void *_Nullable user);

/// Sets an option whose value is a `long` or an enumeration.
static inline CURLcode gm_curl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option whose value is a `curl_off_t`.
static inline CURLcode gm_curl_set_offset(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option whose value is a C string. curl copies it.
static inline CURLcode gm_curl_set_string(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets an option whose value is a pointer that curl keeps, so it must outlive the transfer.
static inline CURLcode gm_curl_set_pointer(CURL *_Nonnull easy, CURLoption option, const void *_Nullable value) {
  return curl_easy_setopt(easy, option, value);
}

/// Sets the request's headers. curl keeps the list, so it must outlive the transfer.
static inline CURLcode gm_curl_set_headers(CURL *_Nonnull easy, struct curl_slist *_Nullable headers) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

/// Sets a write or header callback.
static inline CURLcode gm_curl_set_callback(CURL *_Nonnull easy, CURLoption option, gm_curl_data_callback _Nullable callback) {
  return curl_easy_setopt(easy, option, callback);
}

typedef int (*gm_curl_prerequest_callback)(
  void *_Nullable user, char *_Nullable there, char *_Nullable here, int port_there, int port_here
);

/// Sets what is called whenever the request is about to be sent; before curl 7.80 nothing is.
static inline void gm_curl_set_prerequest(
  CURL *_Nonnull easy, gm_curl_prerequest_callback _Nullable callback, const void *_Nullable user
) {
#if LIBCURL_VERSION_NUM >= 0x075000
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, user);
#endif
}

/// Reads an information item that is a `long`.
static inline CURLcode gm_curl_get_long(CURL *_Nonnull easy, CURLINFO item, long *_Nonnull value) {
  return curl_easy_getinfo(easy, item, value);
}

/// Reads an information item that is a `curl_off_t`.
static inline CURLcode gm_curl_get_offset(CURL *_Nonnull easy, CURLINFO item, curl_off_t *_Nonnull value) {
  return curl_easy_getinfo(easy, item, value);
}

/// Reads an information item that is a pointer.
static inline CURLcode gm_curl_get_pointer(CURL *_Nonnull easy, CURLINFO item, void *_Nullable *_Nonnull value) {
  return curl_easy_getinfo(easy, item, value);
}

/// Sets a multi-handle option whose value is a `long`.
static inline CURLMcode gm_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// Allows only HTTP and HTTPS.
static inline CURLcode gm_curl_restrict_protocols(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

/// The result of a finished transfer, which lies in a union that Swift does not see by name.
static inline CURLcode gm_curl_message_result(const CURLMsg *_Nonnull message) {
  return message->data.result;
}

#endif
