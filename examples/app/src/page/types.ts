import type { DeskLicensesQuery } from "../generated/graphql.ts";

export type License = NonNullable<NonNullable<DeskLicensesQuery["licenses"]>["nodes"]>[number];

/** A procurement case that the page proposes for a license. */
export interface Draft {
  readonly name: string;
  readonly baselinePrice: number | undefined;
}
