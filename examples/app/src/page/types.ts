import type { DeskLicensesQuery } from "../codegen/generated/graphql.ts";
import type { queries } from "../codegen/queries.ts";

/** The page takes the queries of either generator: their types must agree. */
export type Queries = typeof queries;

export type License = NonNullable<NonNullable<DeskLicensesQuery["licenses"]>["nodes"]>[number];

/** A procurement case that a license suggests. */
export interface Draft {
  readonly name: string;
  readonly baselinePrice: number | undefined;
}
