/**
 * A document of your own, typed by gql.tada as you write it: the holders of unused licenses.
 *
 *   npm install @saas-management/sdk && npm pkg set type=module
 *   npm install -D tsx gql.tada@1.11.3 typescript@6 @types/node
 *   cp node_modules/@saas-management/sdk/examples/documents-tada/* .
 *   npx gql.tada generate-output && npx tsx --env-file=.env main.ts
 */
import { SaasManagementClient } from "@saas-management/sdk";
import { graphql } from "./graphql.js";

const Holder = graphql(`
  fragment Holder on License @_unmask {
    holder { name email }
  }
`);

const Unused = graphql(
  `
    query Unused($first: Int, $after: String) {
      licenses(first: $first, after: $after, where: { state: { activity: { eq: UNUSED } } }) {
        nodes { id ...Holder plan { name } }
        pageInfo { hasNextPage endCursor }
      }
    }
  `,
  [Holder],
);

async function main() {
  const client = SaasManagementClient.fromEnv();
  const unused = client.graphql.paginate(Unused, {}, { select: (data) => data.licenses });
  for await (const { holder, plan } of unused) console.log(`${holder?.email ?? "nobody"}: ${plan?.name}`);
  await client.close();
}
main();
