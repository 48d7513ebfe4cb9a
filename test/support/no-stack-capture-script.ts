/**
 * Fails in several ways where `Error.captureStackTrace` is missing, as in some browsers; prints the codes of the
 * errors.
 */
import { GraphQLClient, SaasManagementError } from "../../src/graphql/index.js";

Reflect.deleteProperty(Error, "captureStackTrace");

const client = new GraphQLClient({ baseUrl: process.argv[2] ?? "", apiKey: "key-1", retry: false });
const nodes = async () => {
  for await (const _ of client.applications());
};
const calls = [
  () => client.request("{ a }"),
  () => client.createProcurementCase({ name: "Renewal" }),
  () => client.applications().firstPage(),
  nodes,
];
const told: unknown[] = [];
for (const call of calls) {
  const error: unknown = await call().catch((reason: unknown) => reason);
  const own = error instanceof SaasManagementError;
  told.push(own ? [error.code, error.stack?.startsWith(`${error.name}: ${error.message}`)] : String(error));
}
await client.close();
process.stdout.write(JSON.stringify({ told, captures: "captureStackTrace" in Error }));
