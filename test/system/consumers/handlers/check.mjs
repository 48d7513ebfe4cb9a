/**
 * Starts a program of `examples/handlers` that uses a reference server, and sends it a page's requests. Arguments:
 * the program and its own arguments. The program must print the port on which it listens.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { GraphQLClient, isMutationError } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";

const server = await startReferenceServer({
  portfolio: { applications: ["Figma", "Slack", "Zoom"].map((name) => ({ name })) },
});
const { apiKey, baseUrl, faults } = server;
const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, {
  env: {
    ...process.env,
    SAAS_MANAGEMENT_BASE_URL: baseUrl,
    SAAS_MANAGEMENT_API_KEY: apiKey,
    PORT: "0",
  },
  stdio: ["ignore", "pipe", "pipe"],
  timeout: 60_000,
});
const ended = once(child, "exit");
let output = "";
child.stderr.on("data", (chunk) => {
  output += chunk;
});

try {
  const origin = `http://127.0.0.1:${await portOf()}`;
  const answers = [];
  const keeping = async (...request) => {
    const response = await fetch(...request);
    answers.push(JSON.stringify([...response.headers]), await response.clone().text());
    return response;
  };
  const page = new GraphQLClient({
    baseUrl: `${origin}/api`,
    authorization: "none",
    retry: false,
    fetch: keeping,
  });
  const typed = async (request) => {
    const error = await request.then(
      () => ({}),
      (reason) => reason,
    );
    return [error.name, error.errors?.[0]?.extensions?.code ?? error.code];
  };
  const plans = "query Plans { licensePlans { totalCount } }";
  const result = {
    names: (await page.applications({ pageSize: 1 }).toArray()).map(({ application }) => application.name),
    own: await page.request(plans, {}),
    together: (await Promise.all(Array.from({ length: 20 }, () => page.request(plans, {})))).length,
    refused: await typed(page.request("{ licenses { totalCount } }", {})),
    mutation: await page
      .updateProcurementCase({ id: "none", name: "x" })
      .catch((error) => isMutationError(error, "updateProcurementCase") && error.errors[0].__typename),
  };
  faults.add({ on: "graphql", fault: "http", status: 429, headers: { "retry-after": "7" } });
  result.limited = await typed(page.request(plans, {}));
  faults.add({ on: "graphql", fault: "http", status: 503 });
  result.failing = await typed(page.request(plans, {}));
  faults.add({ on: "graphql", fault: "http", status: 401 });
  result.unauthorized = await typed(page.request(plans, {}));
  faults.add({ on: "graphql", fault: "http", status: 307, headers: { location: `${baseUrl}/graphql` } });
  result.redirected = await typed(page.request(plans, {}));
  faults.add({ on: "graphql", fault: "stall" });
  result.stalled = await typed(page.request(plans, {}, { timeoutMs: 500 }));
  result.after = await page.request(plans, {});
  result.elsewhere = (await fetch(`${origin}/`, { method: "POST" })).status;
  result.keyLeft = answers.some((answer) => answer.includes(apiKey));
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  process.stderr.write(output);
  throw error;
} finally {
  child.kill("SIGKILL");
  await ended;
  await server.close();
}

/** The port that the program prints on stdout or stderr: after "port", or in an address. */
async function portOf() {
  const lines = [child.stdout, child.stderr].map((input) => createInterface({ input }));
  return new Promise((resolve, reject) => {
    for (const each of lines)
      each.on("line", (line) => {
        const [, port, other] = /port\W+(\d+)|http:\/\/[^:]+:(\d+)/.exec(line) ?? [];
        if (port !== undefined || other !== undefined) resolve(port ?? other);
      });
    child.on("close", () => reject(new Error("The program ended.")));
  });
}
