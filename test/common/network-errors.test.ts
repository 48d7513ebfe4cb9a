import { expect, test } from "vitest";
import {
  NETWORK_ERRORS,
  type NetworkErrorCode,
  networkErrorInText,
  networkErrorOf,
} from "../../src/core/network-errors.js";

const failed = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) });

test.each<[string, NetworkErrorCode]>([
  ["ECONNREFUSED", "ECONNREFUSED"],
  ["EAI_AGAIN", "EAI_AGAIN"],
  ["EPIPE", "ECONNRESET"],
  ["UND_ERR_SOCKET", "ECONNRESET"],
  ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "CERT_HOST_NAME"],
  ["HOSTNAME_MISMATCH", "CERT_HOST_NAME"],
  ["CERT_HAS_EXPIRED", "CERT_EXPIRED"],
  ["CERT_NOT_YET_VALID", "CERT_EXPIRED"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "CERT_UNTRUSTED"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_UNTRUSTED"],
  ["CERT_REVOKED", "CERT_UNTRUSTED"],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "CLIENT_CERT_REFUSED"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "TLS_VERSION"],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", "TLS_REFUSED"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "NOT_TLS"],
  ["HPE_INVALID_CONSTANT", "NOT_HTTP1"],
  ["Z_DATA_ERROR", "BODY_ENCODING"],
  ["ERR__ERROR_FORMAT_PADDING_1", "BODY_ENCODING"],
  ["ZSTD_error_prefix_unknown", "BODY_ENCODING"],
  ["PROXY_UNREACHABLE", "PROXY_UNREACHABLE"],
  ["SOMETHING_ELSE", "UNKNOWN"],
])("finds the code %s among the causes of an error and reads it as %s", (code, expected) => {
  expect(networkErrorOf(failed(code))).toMatchObject(NETWORK_ERRORS[expected]);
});

test.each<[string, NetworkErrorCode]>([
  ["Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)", "NOT_HTTP1"],
  ["Response does not match the HTTP/1.1 protocol (Invalid header token)", "UNKNOWN"],
])("reads the message %j of an error without a code as %s", (message, expected) => {
  const error = new TypeError("fetch failed", { cause: new Error(message) });
  expect(networkErrorOf(error)).toMatchObject(NETWORK_ERRORS[expected]);
});

test.each<[string, NetworkErrorCode]>([
  ["connect ECONNREFUSED 127.0.0.1:1 (2026-01-01T00:00:00Z)", "ECONNREFUSED"],
  ["unable to verify the first certificate", "CERT_UNTRUSTED"],
  ["self-signed certificate in certificate chain", "CERT_UNTRUSTED"],
  ["certificate has expired", "CERT_EXPIRED"],
  ["ERR_TLS_CERT_ALTNAME_INVALID: Hostname/IP does not match", "CERT_HOST_NAME"],
  ["SSL routines::tlsv13 alert certificate required:SSL alert number 116", "CLIENT_CERT_REFUSED"],
  ["SSL routines::tlsv1 alert no application protocol:SSL alert number 120", "NOT_HTTP2"],
  ["SSL routines:tls_validate_record_header:wrong version number", "NOT_TLS"],
  ["Client network socket disconnected before secure TLS connection was established", "CLOSED_IN_HANDSHAKE"],
  ["undefined\nand a stack", "PROXY_FAILED"],
])("reads the last error %j of gRPC as %s", (text, expected) => {
  expect(networkErrorInText(text)).toEqual(NETWORK_ERRORS[expected]);
});

test("a text that names no known network error is not a network error", () => {
  expect(networkErrorInText("something happened")).toBeUndefined();
});

test("a certificate or protocol failure is not retryable, and nothing was sent", () => {
  for (const code of ["CERT_EXPIRED", "CERT_UNTRUSTED", "NOT_TLS", "NOT_HTTP2", "PROXY_REFUSED"] as const)
    expect(NETWORK_ERRORS[code]).toMatchObject({ retryable: false, unsent: true });
});
