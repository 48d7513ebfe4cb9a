import { MutationError } from "../core/errors/index.js";
import type {
  ChangeVendorsStateMutation,
  CreateProcurementCaseMutation,
  UpdateProcurementCaseMutation,
} from "./generated/operations.js";

/** What the mutations send back, by their names. */
export interface MutationPayloads {
  readonly createProcurementCase: NonNullable<CreateProcurementCaseMutation["createProcurementCase"]>;
  readonly updateProcurementCase: NonNullable<UpdateProcurementCaseMutation["updateProcurementCase"]>;
  readonly changeVendorsState: NonNullable<ChangeVendorsStateMutation["changeVendorsState"]>;
}

/** Name of a mutation. */
export type MutationName = keyof MutationPayloads;

/** The typed errors of a mutation: a union on `__typename`, with an arm for those that are not known yet. */
export type MutationErrorOf<Name extends MutationName> = NonNullable<
  MutationPayloads[Name]["errors"]
>[number];

/** The payload of a mutation without its errors. */
export type MutationPayloadOf<Name extends MutationName> = Omit<MutationPayloads[Name], "errors">;

/** How a mutation ended, for callers that do not want it to throw. */
export type MutationOutcome<Name extends MutationName, Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /** Why the change was refused; at least one. */
      readonly errors: readonly MutationErrorOf<Name>[];
      /** The rest of the payload. */
      readonly payload: MutationPayloadOf<Name>;
      /** The server's own id of the request; undefined where it sent none. */
      readonly requestId: string | undefined;
    };

/** What `changeVendorsState` did. */
export interface VendorsStateChange {
  /** Number of vendors whose state was set. */
  readonly updatedCount: number;
}

/**
 * True for a {@link MutationError} of this mutation, whose `errors` can then be told apart by `__typename`.
 *
 * @example
 * ```ts
 * if (isMutationError(error, "updateProcurementCase")) {
 *   const missing = error.errors.some((entry) => entry.__typename === "ProcurementCaseNotFoundError");
 * }
 * ```
 */
export function isMutationError<Name extends MutationName>(
  error: unknown,
  mutation: Name,
): error is MutationError<MutationErrorOf<Name>, MutationPayloadOf<Name>> {
  return error instanceof MutationError && error.mutation === mutation;
}

/** Most types of errors that a message names. */
const MAX_NAMES = 5;

/**
 * The value of an outcome.
 * @throws {MutationError} the service refused the change
 */
export function valueOrThrow<Name extends MutationName, Value>(
  mutation: Name,
  outcome: MutationOutcome<Name, Value>,
): Value {
  if (outcome.ok) return outcome.value;
  const { errors, payload, requestId } = outcome;
  const names = [...new Set(errors.map((entry) => entry.__typename))]
    .filter((name) => typeof name === "string" && /^\w{1,100}$/.test(name))
    .slice(0, MAX_NAMES);
  throw new MutationError(
    `${mutation} was refused by the service${names.length === 0 ? "" : `: ${names.join(", ")}`}. See errors.`,
    { mutation, errors, payload, requestId, serverMessage: errors[0]?.message },
  );
}
