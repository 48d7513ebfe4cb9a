import type { DeskLicensesQuery } from "../generated/graphql.ts";

export type License = NonNullable<NonNullable<DeskLicensesQuery["licenses"]>["nodes"]>[number];

/** A procurement case that a license suggests. */
export interface Draft {
  readonly name: string;
  readonly baselinePrice: number | undefined;
}
