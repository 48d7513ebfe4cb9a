import { readFileSync } from "node:fs";
import { buildASTSchema, type GraphQLSchema, isScalarType, parse } from "graphql";
import { resolveMutations, resolveQueries } from "./resolvers.js";
import { defineDate, defineDecimal } from "./scalars.js";

/** The schema that the package ships, able to answer requests. */
export function executableSchema(): GraphQLSchema {
  const file = new URL("../../../schema/schema.graphql", import.meta.url);
  const schema = buildASTSchema(parse(readFileSync(file, "utf8"), { noLocation: true }));
  const [date, decimal] = [schema.getType("Date"), schema.getType("Decimal")];
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  if (!isScalarType(date) || !isScalarType(decimal) || !query || !mutation) {
    throw new TypeError(`${file.pathname} is not the schema of the service.`);
  }
  defineDate(date);
  defineDecimal(decimal);
  resolveQueries(query);
  resolveMutations(mutation);
  return schema;
}
