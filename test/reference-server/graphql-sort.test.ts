import { expect, test } from "vitest";
import { schemaType } from "../support/adopted.js";
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
  const document = `query ($order: [${schemaType("ApplicationOrder")}!], $after: String, $first: Int) {
    applications(order: $order, after: $after, first: $first) {
      nodes { application { id } } pageInfo { endCursor hasNextPage }
    }
  }`;
  interface Data {
    readonly applications: {
      readonly nodes: readonly { readonly application: { readonly id: string } }[];
      readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean };
    };
  }
  const page = async (variables: object) => {
    const { applications } = await server.query<Data>(document, { ...variables });
    return {
      ids: applications.nodes.map(({ application }) => application.id).join(""),
      ...applications.pageInfo,
    };
  };
  const errorOf = async (order: unknown) => (await server.send(document, { order })).errors?.[0];
  return { ...server, page, errorOf };
}

const by = (field: object) => ({ application: field });

test.each<[what: string, order: unknown, ids: string]>([
  ["by id without an order", null, "1234"],
  ["by id with an empty list", [], "1234"],
  ["by id with an empty object", {}, "1234"],
  ["strings by code units", by({ name: "ASC" }), "3214"],
  ["descending", by({ name: "DESC" }), "4123"],
  ["null first ascending", by({ category: { name: "ASC" } }), "3124"],
  ["null last descending", by({ category: { name: "DESC" } }), "4123"],
  ["ties by ascending id", by({ vendorName: "ASC" }), "1324"],
  ["ties by ascending id when descending", by({ vendorName: "DESC" }), "2413"],
  ["enums by name", { state: "ASC" }, "2413"],
  ["ties by the next entry", [by({ vendorName: "DESC" }), by({ name: "DESC" })], "4213"],
  ["ties by the next entry ascending", [by({ vendorName: "ASC" }), by({ name: "ASC" })], "3124"],
  ["fields of one object in the order of the schema", by({ vendorName: "ASC", name: "ASC" }), "3214"],
])("sorts %s", async (_, order, ids) => {
  const { page } = await startWithApplications();
  expect(await page({ order })).toMatchObject({ ids });
});

test("accepts one object in the document in place of a list", async () => {
  const { query } = await startWithApplications();
  const data = await query(
    "{ applications(first: 1, order: { application: { name: DESC } }) { nodes { id } } }",
  );
  expect(data).toEqual({ applications: { nodes: [{ id: "discovery:4" }] } });
});

test("refuses null as a direction", async () => {
  const { errorOf } = await startWithApplications();
  expect(await errorOf(by({ name: null }))).toMatchObject({
    extensions: { code: "HC0026", argument: "order.application.name" },
  });
});

test("continues after a cursor of an order with nulls and ties", async () => {
  const { page } = await startWithApplications();
  const order = [by({ category: { name: "ASC" } }), { state: "DESC" }];
  let seen = "";
  let after: string | null = null;
  for (let isLast = false; !isLast; ) {
    const current: Awaited<ReturnType<typeof page>> = await page({ order, after, first: 1 });
    seen += current.ids;
    after = current.endCursor;
    isLast = !current.hasNextPage;
  }
  expect(seen).toBe("3124");
});
