import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import {
  type Application,
  type ApplicationFilter,
  type Connection,
  GraphQLClient,
  isMutationError,
  type License,
  type LicenseFilter,
  type LicensePlanFilter,
  type MutationErrorOf,
  type Page,
  type ProcurementCase,
} from "@saas-management/sdk/graphql";
import { expectTypeOf, test } from "vitest";

const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: "k" });

test("allows in where the operators of each kind of field, nested fields, and and or", () => {
  expectTypeOf({
    state: { in: ["DISCOVERED", "IN_REVIEW"] },
    application: { name: { startsWith: "Ac", nendsWith: "x" }, category: { name: { neq: null } } },
    or: [{ lastUsed: { gte: "2026-01-01" } }, { userCountStat: { all: { eq: 0 } } }],
  } as const).toExtend<ApplicationFilter>();
  const unused: LicenseFilter = { state: { activity: { eq: "UNUSED" } } };
  const soon: LicensePlanFilter = {
    contractDetails: { renewal: { upcomingDate: { value: { gte: "2026-01-01" } } } },
  };
  client.licenses({ where: unused });
  client.licensePlans({ where: soon });
});

test("refuses in where unknown operators, fields, types of values and values of enums", () => {
  void (() => {
    // @ts-expect-error no contains for an enum
    client.applications({ where: { state: { contains: "SANC" } } });
    // @ts-expect-error no startsWith for a date
    client.applications({ where: { lastUsed: { startsWith: "2026" } } });
    // @ts-expect-error no gte for a string
    client.applications({ where: { application: { name: { gte: "a" } } } });
    // @ts-expect-error no such field
    client.applications({ where: { vendor: { eq: "x" } } });
    // @ts-expect-error a field takes an object of operators
    client.applications({ where: { state: "SANCTIONED" } });
    // @ts-expect-error no such value
    client.applications({ where: { state: { eq: "SANCTIOND" } } });
  });
});

test("allows in order one object or several, nested, with directions only", () => {
  void (() => {
    client.licensePlans({ order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } });
    client.licenses({ order: [{ annualPrice: { amount: "DESC" } }, { id: "ASC" }] });
    // @ts-expect-error not a direction
    client.licenses({ order: { id: "UP" } });
    // @ts-expect-error no such field
    client.licenses({ order: { price: "ASC" } });
  });
});

test("types results by their nodes, with values and members that this version does not know", () => {
  expectTypeOf(client.applications()).toEqualTypeOf<Connection<Application>>();
  expectTypeOf(client.applications().firstPage).returns.resolves.toEqualTypeOf<Page<Application>>();
  expectTypeOf<Application["lastUsed"]>().toEqualTypeOf<string | null>();
  expectTypeOf<string>().toExtend<Application["state"]>();
  const told = ({ state }: License) => [state.activity === "UNUSED", state.reason, state.__typename];
  expectTypeOf(told).returns.toEqualTypeOf<(string | boolean | null | undefined)[]>();
});

test("types mutations by their results, typed errors and inputs", () => {
  expectTypeOf(client.createProcurementCase).returns.resolves.toEqualTypeOf<ProcurementCase>();
  expectTypeOf(client.changeVendorsState).returns.resolves.toEqualTypeOf<{
    readonly updatedCount: number;
  }>();
  const narrowed = (error: unknown) => (isMutationError(error, "updateProcurementCase") ? error : undefined);
  expectTypeOf(narrowed).returns.toEqualTypeOf<MutationErrorOf<"updateProcurementCase"> | undefined>();
  // @ts-expect-error name is required
  void (() => client.createProcurementCase({ state: "PRE" }));
  // @ts-expect-error not a value of the enum
  void (() => client.createProcurementCase({ name: "n", state: "PRE-SALE" }));
  // @ts-expect-error where is required
  void (() => client.changeVendorsState({ state: "SANCTIONED" }));
});

test("types own documents: interfaces as variables, and connections with nodes", () => {
  interface ById {
    readonly id: string;
  }
  const variables: ById = { id: "a" };
  void (() => client.request("query A($id: ID!) { a(id: $id) }", variables));
  void (() => client.rawRequest("query A($id: ID!) { a(id: $id) }", variables));
  interface Edges {
    readonly apps: {
      readonly edges: readonly object[];
      readonly pageInfo: { readonly hasNextPage: boolean };
    };
  }
  void ((document: TypedDocumentNode<Edges, { readonly after?: string }>) =>
    // @ts-expect-error it has edges only
    client.paginate(document, {}, { select: (data) => data.apps }));
});
