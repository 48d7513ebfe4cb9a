import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import {
  type ApplicationDiscovery,
  type ApplicationsArguments,
  type CalendarDate,
  type Connection,
  GraphQLClient,
  type License,
  type LicensePlansArguments,
  type LicensesArguments,
  type MutationErrorOf,
  type MutationOutcome,
  type Page,
  type ProcurementCase,
} from "@saas-management/sdk/graphql";
import { expectTypeOf, test } from "vitest";

const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey: "k" });

test("allows in where the operators of each kind of field, nested fields, and and or", () => {
  expectTypeOf({
    where: {
      state: { in: ["DISCOVERED", "IN_REVIEW"] },
      application: { name: { startsWith: "Ac", nendsWith: "x" }, category: { name: { neq: null } } },
      or: [{ lastUsed: { gte: "2026-01-01" } }, { userCountStat: { all: { eq: 0 } } }],
    },
  } as const).toExtend<ApplicationsArguments>();
  const unused: LicensesArguments = { where: { state: { activity: { eq: "UNUSED" } } } };
  const soon: LicensePlansArguments = {
    where: { contractDetails: { renewal: { upcomingDate: { value: { gte: "2026-01-01" } } } } },
  };
  client.licenses(unused);
  client.licensePlans(soon);
});

test("refuses in where unknown operators, fields and types of values, but not new enum values", () => {
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
  // @ts-expect-error not a date
  client.applications({ where: { lastUsed: { gte: "January" } } });
  client.applications({ where: { state: { eq: "RETIRED" } } });
});

test("allows in order one object or several, nested, with directions only", () => {
  client.licensePlans({ order: { contractDetails: { renewal: { upcomingDate: { value: "ASC" } } } } });
  client.licenses({ order: [{ annualPrice: { amount: "DESC" } }, { id: "ASC" }] });
  // @ts-expect-error not a direction
  client.licenses({ order: { id: "UP" } });
  // @ts-expect-error no such field
  client.licenses({ order: { price: "ASC" } });
});

test("refuses both directions of paging, unless one is undefined", () => {
  client.licenses({ first: 10, after: "c", last: undefined });
  client.licenses({ last: 10, before: "c", after: undefined });
  // @ts-expect-error first and last
  void (() => client.licenses({ first: 10, last: 10 }));
  // @ts-expect-error after and before
  void (() => client.licenses({ after: "a", before: "b" }));
});

test("types results by their nodes, and a license's state by its __typename", () => {
  expectTypeOf(client.applications()).toEqualTypeOf<Connection<ApplicationDiscovery>>();
  expectTypeOf(client.applications().firstPage).returns.resolves.toEqualTypeOf<Page<ApplicationDiscovery>>();
  expectTypeOf<ApplicationDiscovery["lastUsed"]>().toEqualTypeOf<CalendarDate | null>();
  expectTypeOf<ApplicationDiscovery["state"]>().toExtend<string>();
  expectTypeOf<string>().toExtend<ApplicationDiscovery["state"]>();
  const told = ({ state }: License): string | null => {
    if (state.__typename === "UnusedLicenseState") return state.reason;
    if (state.__typename === "UsedLicenseState") return state.activity;
    return state.__typename;
  };
  expectTypeOf(told).returns.toEqualTypeOf<string | null>();
  // @ts-expect-error a name that the schema does not know
  (({ state }: License) => state.__typename === "SomethingElse") satisfies unknown;
});

test("types mutations by their results, typed errors and inputs", () => {
  expectTypeOf(client.createProcurementCase).returns.resolves.toEqualTypeOf<ProcurementCase>();
  expectTypeOf(client.changeVendorsState).returns.resolves.toEqualTypeOf<{
    readonly updatedCount: number;
  }>();
  expectTypeOf(client.safe.updateProcurementCase).returns.resolves.toEqualTypeOf<
    MutationOutcome<"updateProcurementCase", ProcurementCase>
  >();
  expectTypeOf<"ProcurementCaseNotFoundError">().toExtend<
    MutationErrorOf<"updateProcurementCase">["__typename"]
  >();
  expectTypeOf<"ProcurementCaseNotFoundError">().not.toExtend<
    MutationErrorOf<"createProcurementCase">["__typename"]
  >();
  // @ts-expect-error name is required
  void (() => client.createProcurementCase({ state: "PRE" }));
  // @ts-expect-error not a date
  void (() => client.createProcurementCase({ name: "n", deadline: "soon" }));
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
