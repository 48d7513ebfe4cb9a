/** What a page would do. The bundle is built for browsers, and then run with only the console of Node. */
import { GraphQLClient } from "@saas-management/sdk/graphql";

export async function applicationNames(baseUrl, apiKey) {
  const client = new GraphQLClient({ baseUrl, apiKey });
  const applications = await client.applications({ order: { application: { name: "ASC" } } }).toArray();
  await client.close();
  return applications.map(({ application }) => application.name);
}
