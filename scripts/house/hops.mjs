/**
 * Prints, as JSON, which files of the built package `import "."` loads, and which sources run for one record of
 * `batch.write`, for the second run with a guard and a file ledger, and for the first page of `licenses()`. The service
 * runs in its own process.
 */
import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode } from "@jridgewell/sourcemap-codec";

const DIST = new URL("../../dist/", import.meta.url).href;

if (process.argv[2] === "service") {
  const { startReferenceServer } = await import(`${DIST}testing/index.js`);
  const server = await startReferenceServer();
  const { baseUrl, syncUrl, apiKey, installationId } = server;
  process.send({ baseUrl, syncUrl, apiKey, installationId });
  process.once("disconnect", () => process.exit());
} else {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const { SaasManagementClient, fileLedger } = await import(`${DIST}index.js`);
  const imported = await entered(session);

  const service = fork(new URL(import.meta.url), ["service"]);
  const { installationId, ...options } = await new Promise((resolve) => service.once("message", resolve));
  const client = new SaasManagementClient(options);
  const batch = await client.sync.startBatch({ installationId });
  await batch.write("accounts", [{ id: "u1", name: "Ada" }]);
  await entered(session);
  await batch.write("accounts", [{ id: "u2", name: "Grace" }]);
  const written = await entered(session);
  await batch.abort();
  const directory = mkdtempSync(join(tmpdir(), "house-"));
  const run = (options) =>
    client.sync.run(
      { snapshots: ["accounts"], run: (to) => to.write("accounts", [{ id: "u1", name: "Ada" }]) },
      { installationId, ledger: fileLedger(directory), ...options },
    );
  await run({ firstRun: true });
  await entered(session);
  await run({});
  const guarded = await entered(session);
  rmSync(directory, { recursive: true });
  await client.graphql.licenses().firstPage();
  // Waits until fetch can reuse the connection, because a new one also runs the code that inspects connections.
  await new Promise((turned) => setTimeout(turned, 50));
  await entered(session);
  await client.graphql.licenses().firstPage();
  const paged = await entered(session);
  await client.close();
  service.disconnect();
  console.log(JSON.stringify({ imported, written, guarded, paged }));
}

/** Files, sources and functions of the package that ran since the last call. */
async function entered(session) {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const own = result
    .filter(({ url }) => url.startsWith(DIST))
    .map(({ url, functions }) => ({ url, ran: functions.filter(({ ranges }) => ranges[0].count > 0) }))
    .filter(({ ran }) => ran.length > 0);
  return {
    files: own.map(({ url }) => url.slice(DIST.length)).sort(),
    sources: [...new Set(own.flatMap(({ url, ran }) => sourcesOf(fileURLToPath(url), ran)))].sort(),
    functions: own.reduce((sum, { ran }) => sum + ran.length, 0),
  };
}

/** The sources of functions, found by each function's first line. */
function sourcesOf(file, functions) {
  if (!existsSync(`${file}.map`)) return [];
  const { sources, mappings } = JSON.parse(readFileSync(`${file}.map`, "utf8"));
  const lines = decode(mappings);
  const text = readFileSync(file, "utf8");
  return functions.flatMap(({ functionName, ranges: [{ startOffset }] }) => {
    const [segment] = lines[text.slice(0, startOffset).split("\n").length - 1] ?? [];
    // Generated code has no source, so its file counts instead.
    const source = sources[segment?.[1]] ?? file;
    return functionName === "" || segment === undefined ? [] : source.replace(/^.*\b(src|dist)\//, "");
  });
}
