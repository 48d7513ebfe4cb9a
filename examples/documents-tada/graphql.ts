import { initGraphQLTada } from "gql.tada";
import type { introspection } from "./schema-env.js";

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Date: string; Decimal: number };
}>();
