import type { GraphQLInputObjectType } from "graphql";
import type { ApplicationState } from "../portfolio.js";
import type { Workspace } from "../workspace.js";
import { compileFilter, type InputObject } from "./connection/filter.js";
import type { TypedError } from "./procurement.js";
import { viewsOf } from "./views/views.js";

interface ChangeVendorsStatePayload {
  readonly updatedCount: number | null;
  readonly errors: readonly TypedError<"ChangeVendorsStateError">[] | null;
}

/**
 * Sets the state of the vendors that match, and so of all their applications. No match is no error: nothing had to be
 * done.
 *
 * @param where of the type `filter`; every vendor where it is null or undefined.
 * @param now in milliseconds since the epoch.
 */
export function changeVendorsState(
  workspace: Workspace,
  state: ApplicationState,
  filter: GraphQLInputObjectType,
  where: InputObject | null | undefined,
  now: number,
): ChangeVendorsStatePayload {
  const matches = where == null ? () => true : compileFilter(filter, where);
  if (state === "DISCOVERED") {
    const message = "DISCOVERED cannot be set: it is the state of what only discovery knows.";
    return { updatedCount: null, errors: [{ __typename: "ChangeVendorsStateError", message }] };
  }
  const { rows } = viewsOf(workspace).applications(now);
  const names = new Set(rows.map(({ application }) => application.vendorName));
  const matching = [...names].filter((name) => matches({ vendor: { name } }));
  workspace.setVendorStates(matching, state);
  return { updatedCount: matching.length, errors: null };
}
