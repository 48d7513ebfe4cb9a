import { expect, test } from "vitest";
import { startServer } from "./graphql-setup.js";

async function startWithApplications() {
  const server = await startServer({
    portfolio: {
      applications: [
        { id: "1", name: "bb", vendorName: "V", category: "X", state: "SANCTIONED" },
        { id: "2", name: "a", vendorName: "W", category: "X", state: "ARCHIVED" },
        { id: "3", name: "B", vendorName: "V", state: "SANCTIONED" },
        { id: "4", name: "c", vendorName: "W", category: "Y", state: "DISCOVERED" },
      ],
    },
  });
  const document = `query ($order: [ApplicationDiscoverySortInput!]) {
    applications(order: $order) { nodes { application { id } } }
  }`;
  const ids = async (order: unknown): Promise<string> => {
    const { applications } = await server.query<{
      applications: { nodes: { application: { id: string } }[] };
    }>(document, { order });
    return applications.nodes.map(({ application }) => application.id).join("");
  };
  const errorOf = async (order: unknown) => (await server.send(document, { order })).errors?.[0];
  return { ...server, ids, errorOf };
}

test("sorts by id without an order", async () => {
  const { ids } = await startWithApplications();
  expect(await ids(null)).toBe("1234");
  expect(await ids([])).toBe("1234");
  expect(await ids({})).toBe("1234");
});

test("sorts strings by their code units, upper case before lower case", async () => {
  const { ids } = await startWithApplications();
  expect(await ids({ application: { name: "ASC" } })).toBe("3214");
  expect(await ids({ application: { name: "DESC" } })).toBe("4123");
});

test("sorts null first ascending and last descending", async () => {
  const { ids } = await startWithApplications();
  expect(await ids({ application: { category: { name: "ASC" } } })).toBe("3124");
  expect(await ids({ application: { category: { name: "DESC" } } })).toBe("4123");
});

test("breaks ties by id, ascending in both directions", async () => {
  const { ids } = await startWithApplications();
  expect(await ids({ application: { vendorName: "ASC" } })).toBe("1324");
  expect(await ids({ application: { vendorName: "DESC" } })).toBe("2413");
});

test("sorts enums by their names", async () => {
  const { ids } = await startWithApplications();
  expect(await ids({ state: "ASC" })).toBe("2413");
});

test("breaks ties of an entry by the entries behind it", async () => {
  const { ids } = await startWithApplications();
  expect(await ids([{ application: { vendorName: "DESC" } }, { application: { name: "DESC" } }])).toBe(
    "4213",
  );
  expect(await ids([{ application: { vendorName: "ASC" } }, { application: { name: "ASC" } }])).toBe("3124");
});

test("takes several fields of one object in the order of the schema", async () => {
  const { ids } = await startWithApplications();
  expect(await ids({ application: { vendorName: "ASC", name: "ASC" } })).toBe("3214");
});

test("takes one object in the document itself in place of a list", async () => {
  const { query } = await startWithApplications();
  const data = await query(
    "{ applications(first: 1, order: { application: { name: DESC } }) { nodes { id } } }",
  );
  expect(data).toEqual({ applications: { nodes: [{ id: "discovery:4" }] } });
});

test("refuses a direction of null", async () => {
  const { errorOf } = await startWithApplications();
  expect(await errorOf({ application: { name: null } })).toMatchObject({
    message: "`order.application.name` must not be null. Leave it out, or give it a value.",
    extensions: { code: "HC0026", argument: "order.application.name" },
  });
});

test("goes on behind a cursor of an order with null and ties", async () => {
  const { query } = await startWithApplications();
  const seen: string[] = [];
  let after: string | null = null;
  for (;;) {
    interface Page {
      nodes: { application: { id: string } }[];
      pageInfo: { endCursor: string; hasNextPage: boolean };
    }
    const { applications }: { applications: Page } = await query(
      `query ($after: String) {
        applications(first: 1, after: $after, order: [{ application: { category: { name: ASC } } }, { state: DESC }]) {
          nodes { application { id } }
          pageInfo { endCursor hasNextPage }
        }
      }`,
      { after },
    );
    seen.push(...applications.nodes.map(({ application }) => application.id));
    if (!applications.pageInfo.hasNextPage) break;
    after = applications.pageInfo.endCursor;
  }
  expect(seen.join("")).toBe("3124");
});
