/** An app with documents of its own, which graphql-codegen or gql.tada types from the schema that the package ships. */
import { calendarDate, GraphQLClient } from "@saas-management/sdk/graphql";
import { graphql } from "./graphql.js";

const ApplicationNames = graphql(`
  query ApplicationNames($first: Int, $after: String, $where: ApplicationDiscoveryFilterInput) {
    applications(first: $first, after: $after, where: $where) {
      nodes {
        id
        state
        application {
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      totalCount
    }
  }
`);

const OpenCase = graphql(`
  mutation OpenCase($input: CreateProcurementCaseInput!) {
    createProcurementCase(input: $input) {
      case {
        name
        state
      }
      errors {
        ... on ProcurementCaseCreationError {
          message
        }
      }
    }
  }
`);

const { BASE_URL: baseUrl = "", API_KEY: apiKey = "" } = process.env;
await using client = new GraphQLClient({ baseUrl, apiKey });

const { applications } = await client.request(ApplicationNames, {});
const first: string | undefined = applications?.nodes?.[0]?.application.name;
// @ts-expect-error the schema has no such field
applications?.nodes?.[0]?.application.nickname;
// @ts-expect-error the document does not ask for this field
applications?.nodes?.[0]?.lastUsed;

const others: string[] = [];
const connection = client.paginate(
  ApplicationNames,
  { where: { application: { name: { nin: ["Figma"] } } } },
  { select: (data) => data.applications, pageSize: 1 },
);
for await (const node of connection) {
  others.push(node.application.name);
  // @ts-expect-error the schema has no such field
  node.nickname;
}
// @ts-expect-error a name takes no number
client.paginate(ApplicationNames, { where: { application: { name: { eq: 1 } } } }, { select: () => null });
// @ts-expect-error the document has no such variable
client.paginate(ApplicationNames, {}, { select: () => null, variableNames: { after: "cursor" } });

const opened = await client.request(OpenCase, {
  input: {
    state: "PRE",
    name: "Renew",
    deadline: calendarDate(new Date("2099-12-31")),
    baselineType: "LAST_YEAR_COST",
    baselinePrice: 100,
  },
});
// @ts-expect-error the operation has a required variable
void (() => client.request(OpenCase, {}));

console.log(
  JSON.stringify({
    first,
    others,
    total: await connection.totalCount(),
    opened: opened.createProcurementCase?.case,
  }),
);
