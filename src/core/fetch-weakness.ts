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
      ? "it sends what is for loopback, unencrypted, to a proxy"
      : undefined;
  }
  if (process.env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0")
    return "it checks no certificates (NODE_TLS_REJECT_UNAUTHORIZED=0)";
  const floor = process.getBuiltinModule?.("node:tls")?.DEFAULT_MIN_VERSION;
  if (floor === undefined || !OLD_VERSIONS.includes(floor)) return undefined;
  return `it would speak ${floor}, which this process allows`;
}

/** Whether the global fetch would send what is for loopback to a proxy. */
function proxiesLoopback({ env, execArgv, versions }: NodeJS.Process, hostname: string): boolean {
  if (versions["bun"] !== undefined || versions["deno"] !== undefined) return proxiesUnasked(env, hostname);
  const flags = [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(" ")];
  // Node from 22 on can be told to use the proxies of the environment. The first versions take any value for yes.
  const told = env["NODE_USE_ENV_PROXY"] ?? "";
  if ((told === "" || told === "0") && !flags.includes("--use-env-proxy")) return hasProxyDispatcher();
  const proxy = env["http_proxy"] || env["HTTP_PROXY"];
  if (proxy === undefined || proxy === "") return false;
  // As undici reads it: an empty no_proxy hides NO_PROXY, and a star counts only where it stands alone.
  const excepted = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return excepted !== "*" && !excepted.split(/[\s,]+/).includes(hostname);
}

/** Bun and Deno use the proxies of the environment unasked. They differ in what they except: what both do counts. */
function proxiesUnasked(env: NodeJS.ProcessEnv, hostname: string): boolean {
  if (!["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].some((name) => env[name])) return false;
  const lists = [env["no_proxy"], env["NO_PROXY"]].filter((list) => list !== undefined);
  return !(lists.length > 0 && lists.every((list) => list.split(",").includes(hostname)));
}

/** What `http.setGlobalProxyFromEnv()` of Node, and `setGlobalDispatcher` of undici, leave in the process. */
function hasProxyDispatcher(): boolean {
  return [1, 2].some((version) => {
    const dispatcher: unknown = Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${version}`));
    return dispatcher instanceof Object && /ProxyAgent$/.test(dispatcher.constructor.name);
  });
}
