import { initGraphQLTada } from "gql.tada";
import type { introspection } from "./generated/schema.d.ts";

/** Makes a document that gql.tada types from the schema, while it is written: an editor shows its errors at once. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Date: string; Decimal: number };
}>();
