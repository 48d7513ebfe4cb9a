import { cp, mkdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeConsumerFolder, runNode } from "./packed-package.js";

const require = createRequire(import.meta.url);
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));

const PROGRAM = `
import { parse } from "graphql";
import { createGraphQLHandler, GraphQLClient } from "@saas-management/sdk/graphql";
import { startReferenceServer } from "@saas-management/sdk/testing";

const server = await startReferenceServer({ portfolio: { applications: [{ name: "Zoom" }] } });
const { baseUrl, apiKey } = server;
const client = new GraphQLClient({ baseUrl, apiKey, retry: false });
const codes = async (text, variables = {}) => {
  const { errors } = await client.rawRequest(text, variables);
  return errors.map(({ message, extensions }) => [message.includes("realm"), extensions.code]);
};
const [{ application }] = await client.applications().toArray();
const { code: refused } = await client.updateProcurementCase({ id: "unknown", name: "n" }).catch((error) => error);
const COUNT = "{ licensePlans { totalCount } }";
const handler = createGraphQLHandler({ client, allow: [parse(COUNT)] });
const request = new Request("http://localhost/graphql", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: COUNT }),
});
console.log(JSON.stringify({
  name: application.name,
  own: await client.request(parse(COUNT), {}),
  handled: await (await handler(request)).json(),
  refused,
  unknownField: await codes("{ nothing }"),
  syntax: await codes("{"),
  variables: await codes("query($n: Int) { applications(first: $n) { totalCount } }", { n: "x" }),
}));
await client.close();
await server.close();
`;

test("the reference server, the client and documents work beside another graphql of the project", async () => {
  const folder = await makeConsumerFolder();
  onTestFinished(() => folder.remove());
  // As npm installs it: graphql-http at the root, with the project's graphql, which here is a second copy.
  const root = join(folder.installed, "../..");
  for (const name of ["graphql", "graphql-http"])
    await cp(folderOf(name), join(root, name), { recursive: true });
  await mkdir(join(folder.installed, "node_modules"));
  await symlink(folderOf("graphql"), join(folder.installed, "node_modules/graphql"));
  const project = await folder.write("app", { "package.json": "{}", "main.mjs": PROGRAM });
  const own = { licensePlans: { totalCount: 0 } };
  expect(JSON.parse(await runNode(["main.mjs"], project))).toEqual({
    name: "Zoom",
    own,
    handled: { data: own },
    refused: "MUTATION_REJECTED",
    unknownField: [[false, "VALIDATION_UNKNOWN_FIELD"]],
    syntax: [[false, "HC0014"]],
    variables: [[false, "HC0016"]],
  });
});
