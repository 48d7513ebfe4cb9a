/**
 * Counts which files of the built package are entered by `import "."`, by one record of `batch.write` and by the first
 * page of `licenses()`. The service runs in a process of its own. Prints JSON.
 */
import { fork } from "node:child_process";
import { Session } from "node:inspector/promises";

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
  const { SaasManagementClient } = await import(`${DIST}index.js`);
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
  await client.graphql.licenses().firstPage();
  await entered(session);
  await client.graphql.licenses().firstPage();
  const paged = await entered(session);
  await client.close();
  service.disconnect();
  console.log(JSON.stringify({ imported, written, paged }));
}

/** Files and functions of the package that ran since the last look. */
async function entered(session) {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const own = result
    .filter(({ url }) => url.startsWith(DIST))
    .map(({ url, functions }) => ({
      file: url.slice(DIST.length),
      functions: functions.filter(({ ranges }) => ranges[0].count > 0).length,
    }))
    .filter(({ functions }) => functions > 0);
  return {
    files: own.map(({ file }) => file).sort(),
    functions: own.reduce((sum, it) => sum + it.functions, 0),
  };
}
