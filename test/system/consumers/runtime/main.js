/** A program that any runtime can run as it is: pages through applications and opens a procurement case. */
import { createRequire } from "node:module";
import process from "node:process";
import { calendarDate, GraphQLClient } from "@saas-management/sdk/graphql";

const { BASE_URL: baseUrl, API_KEY: apiKey } = process.env;
const client = new GraphQLClient({ baseUrl, apiKey });
const names = [];
for await (const { application } of client.applications({
  pageSize: 1,
  order: { application: { name: "ASC" } },
})) {
  names.push(application.name);
}
const opened = await client.createProcurementCase({
  state: "PRE",
  name: "Renew",
  deadline: calendarDate(new Date("2099-12-31")),
  baselineType: "LAST_YEAR_COST",
  baselinePrice: 100,
});
await client.close();
// CommonJS modules such as grpc-js are listed here even if an import loaded them.
const loaded = Object.keys(createRequire(import.meta.url).cache ?? {});
console.log(JSON.stringify({ names, opened: opened.name, loaded }));
