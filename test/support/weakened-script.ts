/**
 * Calls both APIs in a process that its environment or its flags have weakened, with each of the options of a client in
 * argv, and GraphQL with a client of its own too. Prints for each options what became of the calls.
 */
import { GraphQLClient, SaasManagementClient } from "../../src/index.js";

const KEY = "canary-key-6f1d";
const COMMON = { apiKey: KEY, retry: false, timeoutMs: 10_000 } as const;
const all: unknown = JSON.parse(process.argv[2] ?? "");
if (!Array.isArray(all)) throw new Error("Give a list of options as JSON.");

async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "answered",
    (error: unknown) => String(error),
  );
}

const outcomes: Readonly<Record<string, string>>[] = [];
for (const options of all) {
  const client = new SaasManagementClient({ ...COMMON, ...options });
  const alone = new GraphQLClient({ ...COMMON, baseUrl: options.baseUrl });
  outcomes.push({
    graphql: await outcome(client.graphql.request("query Q { a }")),
    alone: await outcome(alone.request("query Q { a }")),
    sync: await outcome(client.sync.startBatch({ installationId: "installation-1" })),
  });
  await Promise.all([client.close(), alone.close()]);
}
process.stdout.write(JSON.stringify(outcomes));
