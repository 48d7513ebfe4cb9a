import { randomUUID } from "node:crypto";
import type Big from "big.js";
import type { GraphQLInputObjectType } from "graphql";
import type { ApplicationState } from "../portfolio.js";
import type { ProcurementCase, Workspace } from "../workspace.js";
import { compileFilter, type InputObject } from "./connection/filter.js";
import { ErrorCode, requestError } from "./errors.js";
import { viewsOf } from "./views/views.js";

/** Fields that a caller sets. Omitted fields are undefined. */
export interface ProcurementCaseInput {
  readonly state?: ProcurementCase["state"] | null;
  readonly name?: string | null;
  readonly deadline?: string | null;
  readonly baselineType?: string | null;
  readonly baselinePrice?: Big | null;
}

function failure(typename: string, ...messages: readonly string[]) {
  return { case: null, errors: messages.map((message) => ({ __typename: typename, message })) };
}

export function createProcurementCase(
  workspace: Workspace,
  input: ProcurementCaseInput & { readonly name: string },
  today: string,
) {
  const problems = problemsOf(input, today);
  if (input.state === "COMPLETED") problems.push("A new procurement case cannot be completed.");
  if (problems.length > 0) return failure("ProcurementCaseCreationError", ...problems);
  const baselinePrice = input.baselinePrice ?? null;
  const created: ProcurementCase = {
    id: randomUUID(),
    name: input.name,
    state: input.state ?? "PRE",
    deadline: input.deadline ?? null,
    baselineType: input.baselineType ?? null,
    baselinePrice,
    firstBaselinePrice: baselinePrice,
  };
  workspace.procurementCases.set(created.id, created);
  return { case: rowOf(created), errors: null };
}

/**
 * @param today as YYYY-MM-DD; a deadline must not be earlier
 * @throws GraphQLError a value is invalid; the service description shows no typed error for that in this mutation
 */
export function updateProcurementCase(
  workspace: Workspace,
  input: ProcurementCaseInput & { readonly id: string },
  today: string,
) {
  const known = workspace.procurementCases.get(input.id);
  const subject = `The procurement case \`${input.id}\``;
  if (known === undefined) return failure("ProcurementCaseNotFoundError", `${subject} does not exist.`);
  if (known.state === "COMPLETED")
    return failure("ProcurementCaseCompletedError", `${subject} is completed and cannot be changed.`);
  const problems = problemsOf(input, today);
  if (problems.length > 0)
    throw requestError(ErrorCode.invalidInput, problems.join(" "), { argument: "input" });
  const { state, name, deadline, baselineType, baselinePrice } = input;
  const changed: ProcurementCase = {
    id: known.id,
    name: name ?? known.name,
    state: state ?? known.state,
    deadline: deadline === undefined ? known.deadline : deadline,
    baselineType: baselineType === undefined ? known.baselineType : baselineType,
    baselinePrice: baselinePrice === undefined ? known.baselinePrice : baselinePrice,
    firstBaselinePrice: known.firstBaselinePrice ?? baselinePrice ?? null,
  };
  workspace.procurementCases.set(changed.id, changed);
  return { case: rowOf(changed), errors: null };
}

function problemsOf(input: ProcurementCaseInput, today: string): string[] {
  const { state, name, deadline, baselinePrice } = input;
  const problems: string[] = [];
  if (state === null) problems.push("`state` must not be null.");
  if (name === null || name?.trim() === "") problems.push("`name` must not be blank.");
  if (deadline != null && deadline < today) problems.push("`deadline` must not be in the past.");
  if (baselinePrice?.lt(0)) problems.push("`baselinePrice` must not be negative.");
  return problems;
}

/** Assumption: a case saves the difference between its first baseline price and its current one. */
function rowOf({ id, name, state, baselinePrice, firstBaselinePrice }: ProcurementCase) {
  if (baselinePrice === null || firstBaselinePrice === null) {
    return { id, name, state, savingAmount: null, savingPercentage: null };
  }
  const savingAmount = firstBaselinePrice.minus(baselinePrice);
  const savingPercentage = firstBaselinePrice.eq(0)
    ? null
    : savingAmount.times(100).div(firstBaselinePrice).round(2);
  return { id, name, state, savingAmount, savingPercentage };
}

/**
 * Sets the state of all matching vendors and thus of their applications. It isn't an error if no vendor matches.
 *
 * @param where a filter of the type `filter`; null or undefined matches every vendor
 */
export function changeVendorsState(
  workspace: Workspace,
  state: ApplicationState,
  filter: GraphQLInputObjectType,
  where: InputObject | null | undefined,
  now: number,
) {
  const matches = where == null ? () => true : compileFilter(filter, where);
  const { rows } = viewsOf(workspace, now).applications();
  const names = new Set(rows.map(({ application }) => application.vendorName));
  const matching = [...names].filter((name) => matches({ vendor: { name } }));
  workspace.setVendorStates(matching, state);
  return { updatedCount: matching.length, errors: null };
}
