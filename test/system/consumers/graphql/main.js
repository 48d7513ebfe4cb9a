/** Tries what must work with the project's own graphql: server, client, custom documents, a handler, `serve`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createGraphQLHandler, GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";
import { parse, version } from "graphql";

const COUNT = "{ licensePlans { totalCount } }";
const server = await startReferenceServer({ portfolio: { applications: [{ name: "Zoom" }] } });
const { baseUrl, apiKey } = server;
const client = new GraphQLClient({ baseUrl, apiKey, retry: false });
const codes = async (text, variables = {}) => {
  const { errors } = await client.rawRequest(text, variables);
  return errors.map(({ message, extensions }) => [message.includes("realm"), extensions.code]);
};
const [{ application }] = await client.applications().toArray();
const { code: refused } = await client
  .updateProcurementCase({ id: "unknown", name: "n" })
  .catch((error) => error);
const handler = createGraphQLHandler({ client, allow: [parse(COUNT)] });
const request = new Request("http://localhost/graphql", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: COUNT }),
});
const results = {
  graphql: Number.parseInt(version, 10),
  name: application.name,
  own: await client.request(parse(COUNT), {}),
  handled: await (await handler(request)).json(),
  refused,
  unknownField: await codes("{ nothing }"),
  syntax: await codes("{"),
  variables: await codes("query($n: Int) { applications(first: $n) { totalCount } }", { n: "x" }),
  served: await servedCompany(),
};
await client.close();
await server.close();
console.log(JSON.stringify(results));

/** Whether the command `serve` answers. */
async function servedCompany() {
  const command = "node_modules/@saas-management/sdk/dist/cli/main.js";
  const child = spawn(process.execPath, [command, "serve", "--json", "--demo"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  while (!printed.endsWith("\n")) printed += String(await once(child.stdout, "data"));
  const served = JSON.parse(printed);
  const demo = new GraphQLClient({ baseUrl: served.baseUrl, apiKey: served.apiKey, retry: false });
  const applications = await demo.applications({ limit: 2 }).toArray();
  await demo.close();
  child.kill();
  return applications.length;
}
