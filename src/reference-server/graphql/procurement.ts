import { randomUUID } from "node:crypto";
import type Big from "big.js";
import type { ProcurementCase, Workspace } from "../workspace.js";
import { ErrorCode, requestError } from "./request-error.js";

/** Fields of a case that a caller sets. A field that is left out is undefined. */
export interface ProcurementCaseInput {
  readonly state?: ProcurementCase["state"] | null;
  readonly name?: string | null;
  readonly deadline?: string | null;
  readonly baselineType?: string | null;
  readonly baselinePrice?: Big | null;
}

/** A member of a payload's error union. */
export interface TypedError<Name extends string> {
  readonly __typename: Name;
  readonly message: string;
}

/** A case as the schema shows it. */
interface ProcurementCaseRow {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly savingAmount: Big | null;
  readonly savingPercentage: Big | null;
}

interface CasePayload<ErrorName extends string> {
  readonly case: ProcurementCaseRow | null;
  readonly errors: readonly TypedError<ErrorName>[] | null;
}

/** @param today the day as YYYY-MM-DD; deadlines may not lie before it. */
export function createProcurementCase(
  workspace: Workspace,
  input: ProcurementCaseInput & { readonly name: string },
  today: string,
): CasePayload<"ProcurementCaseCreationError"> {
  const problems = problemsOf(input, today);
  if (input.state === "COMPLETED") problems.push("A procurement case cannot begin completed.");
  if (problems.length > 0) {
    return {
      case: null,
      errors: problems.map((message) => ({ __typename: "ProcurementCaseCreationError", message })),
    };
  }
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
 * @param today the day as YYYY-MM-DD; deadlines may not lie before it.
 * @throws GraphQLError where a value is wrong: the description shows no typed error of this mutation for it.
 */
export function updateProcurementCase(
  workspace: Workspace,
  input: ProcurementCaseInput & { readonly id: string },
  today: string,
): CasePayload<"ProcurementCaseNotFoundError" | "ProcurementCaseCompletedError"> {
  const known = workspace.procurementCases.get(input.id);
  if (known === undefined) {
    const message = `The procurement case \`${input.id}\` does not exist.`;
    return { case: null, errors: [{ __typename: "ProcurementCaseNotFoundError", message }] };
  }
  if (known.state === "COMPLETED") {
    const message = `The procurement case \`${input.id}\` is completed and cannot be changed.`;
    return { case: null, errors: [{ __typename: "ProcurementCaseCompletedError", message }] };
  }
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
  if (deadline != null && deadline < today) problems.push("`deadline` must not lie in the past.");
  if (baselinePrice?.lt(0)) problems.push("`baselinePrice` must not be negative.");
  return problems;
}

/** Assumed: a case saves as much as its baseline price came down from the first one that it had. */
function rowOf({ id, name, state, baselinePrice, firstBaselinePrice }: ProcurementCase): ProcurementCaseRow {
  if (baselinePrice === null || firstBaselinePrice === null) {
    return { id, name, state, savingAmount: null, savingPercentage: null };
  }
  const savingAmount = firstBaselinePrice.minus(baselinePrice);
  const savingPercentage = firstBaselinePrice.eq(0)
    ? null
    : savingAmount.times(100).div(firstBaselinePrice).round(2);
  return { id, name, state, savingAmount, savingPercentage };
}
