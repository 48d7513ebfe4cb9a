/** What the types of custom documents accept and refuse; `graphql` comes from graphql-codegen or gql.tada. */
import type { GraphQLClient } from "@saas-management/sdk/graphql";
import { graphql } from "./graphql.js";

const Names = graphql(`
  query Names($first: Int, $after: String, $where: ApplicationDiscoveryFilterInput) {
    applications(first: $first, after: $after, where: $where) {
      nodes { state application { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const OpenCase = graphql(`
  mutation OpenCase($input: CreateProcurementCaseInput!) {
    createProcurementCase(input: $input) { case { name state } }
  }
`);

export async function refused(client: GraphQLClient) {
  const { applications } = await client.request(Names, {});
  const first: string | undefined = applications?.nodes?.[0]?.application.name;
  // @ts-expect-error the schema has no such field
  applications?.nodes?.[0]?.application.nickname;
  // @ts-expect-error the document does not ask for this field
  applications?.nodes?.[0]?.lastUsed;

  const where = { application: { name: { nin: ["Figma"] } } };
  const connection = client.paginate(Names, { where }, { select: (data) => data.applications, pageSize: 1 });
  for await (const node of connection) {
    const name: string = node.application.name;
    // @ts-expect-error the schema has no such field
    node.nickname = name;
  }
  // @ts-expect-error a name takes no number
  client.paginate(Names, { where: { application: { name: { eq: 1 } } } }, { select: () => null });
  // @ts-expect-error the document has no such variable
  client.paginate(Names, {}, { select: () => null, variableNames: { after: "cursor" } });

  const opened = await client.request(OpenCase, { input: { state: "PRE", name: "Renew" } });
  const state: "PRE" | undefined | string = opened.createProcurementCase?.case?.state;
  // @ts-expect-error the operation has a required variable
  await client.request(OpenCase, {});
  return { first, state };
}
