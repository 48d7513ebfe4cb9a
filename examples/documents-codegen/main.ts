/**
 * Documents of your own, typed by graphql-codegen: applications that nobody used lately, and a case for each.
 *
 *   npm install @saas-management/sdk && npm pkg set type=module
 *   npm install -D tsx @graphql-codegen/cli@7.4.3 @graphql-codegen/client-preset@6.2.0
 *   cp node_modules/@saas-management/sdk/examples/documents-codegen/*.ts .
 *   npx graphql-codegen && npx tsx --env-file=.env main.ts
 */
import { calendarDate, isMutationError, SaasManagementClient } from "@saas-management/sdk";
import { graphql } from "./gql/index.js";

const IdleApplications = graphql(`
  query IdleApplications($first: Int, $after: String, $before: Date!) {
    applications(first: $first, after: $after, where: { lastUsed: { lte: $before } }) {
      nodes { application { name } owner { name } lastUsed }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const Counts = graphql(`
  query Counts {
    applications { totalCount }
    licenses { totalCount }
  }
`);

async function main() {
  const client = SaasManagementClient.fromEnv();
  const { applications, licenses } = await client.graphql.request(Counts, {});
  console.log(`${applications?.totalCount} applications, ${licenses?.totalCount} licenses`);

  const before = calendarDate(new Date());
  const idle = client.graphql.paginate(IdleApplications, { before }, { select: (data) => data.applications });
  for await (const { application, owner, lastUsed } of idle) {
    console.log(`${application.name} (${owner?.name ?? "no owner"}): last used on ${lastUsed}`);
    try {
      await client.graphql.createProcurementCase({ name: `Review ${application.name}` });
    } catch (error) {
      if (!isMutationError(error, "createProcurementCase")) throw error;
      console.error(error.errors.map(({ message }) => message).join("; "));
    }
  }
  await client.close();
}
main();
