/** The status with which a proxy refused to open a tunnel; undefined where something else failed. */
export function refusedByProxy(error: unknown): number | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // All that undici tells of it.
    const status = /^Proxy response \((\d{3})\)/.exec(cause.message)?.[1];
    if (status !== undefined) return Number(status);
  }
  return undefined;
}

/**
 * A failure behind a proxy, with a code that says whose it was: through a proxy every TCP connection is one to the
 * proxy.
 */
export function proxyFailure(error: unknown): unknown {
  if (refusedByProxy(error) !== undefined) return withCode("PROXY_TUNNEL_FAILED", error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("syscall" in cause && (cause.syscall === "connect" || cause.syscall === "getaddrinfo")) {
      return withCode("PROXY_UNREACHABLE", error);
    }
  }
  return error;
}

function withCode(code: string, cause: unknown): Error {
  return Object.assign(new Error("no way through the proxy", { cause }), { code });
}
