/** Protocol versions below the floor of the SDK, which is TLS 1.2. */
const OLD_VERSIONS: readonly string[] = ["TLSv1", "TLSv1.1"];

/**
 * Why Node's own `fetch` must not get a key for this endpoint: it follows what the process was told for all of its
 * connections. Undefined where nothing speaks against it, and in browsers. Asked with each request: it may change.
 */
export function fetchWeakness({ protocol, hostname }: URL): string | undefined {
  const { process } = globalThis;
  if (process?.env === undefined) return undefined;
  if (protocol === "http:") {
    return proxiesLoopback(process, hostname)
      ? "it sends what is for loopback, unencrypted, to the proxy of the environment"
      : undefined;
  }
  if (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    return "it checks no certificates (NODE_TLS_REJECT_UNAUTHORIZED=0)";
  const floor = process.getBuiltinModule?.("node:tls")?.DEFAULT_MIN_VERSION;
  if (floor === undefined || !OLD_VERSIONS.includes(floor)) return undefined;
  return `it would speak ${floor}, which this process allows`;
}

/** Node from 22 on can be told to use the proxies of the environment, and then excepts only what `no_proxy` names. */
function proxiesLoopback({ env, execArgv }: NodeJS.Process, hostname: string): boolean {
  const proxy = env["http_proxy"] || env["HTTP_PROXY"];
  if (proxy === undefined || proxy === "") return false;
  const flags = [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(" ")];
  // The first versions that have it take any value for yes.
  const told = env["NODE_USE_ENV_PROXY"] ?? "";
  if ((told === "" || told === "0") && !flags.includes("--use-env-proxy")) return false;
  // As undici reads it: an empty no_proxy hides NO_PROXY, and a star counts only where it stands alone.
  const excepted = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return excepted !== "*" && !excepted.split(/[\s,]+/).includes(hostname);
}
