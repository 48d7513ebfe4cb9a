import { MutationError, TransportError } from "../core/errors/index.js";
import { withCallSite } from "../core/operation.js";
import { listOf, readOptions } from "../core/validate.js";
import {
  type ChangeVendorsStateData,
  type CreateProcurementCaseData,
  METHODS,
  type MutationErrors,
  type UpdateProcurementCaseData,
} from "./generated/operations.js";
import { MUTATION_OPTIONS, type MutationOptions } from "./options.js";
import type { Document } from "./request/document.js";
import { MAX_ENTRIES, redactStrings } from "./request/error-entries.js";
import { answerOf, type Transport } from "./request/transport.js";
import { copyVariables, isJsonObject } from "./request/variables.js";

type AllData = ChangeVendorsStateData & CreateProcurementCaseData & UpdateProcurementCaseData;
type Payloads = { readonly [N in keyof MutationErrors]: NonNullable<AllData[N]> };

const DOCUMENTS: {
  readonly [N in keyof MutationErrors]: Document<{ readonly [Field in N]: Payloads[Field] | null }, never>;
} = METHODS;

const MAX_SHOWN_TYPES = 5;

const isArrayOfObjects: (errors: unknown) => boolean = listOf(isJsonObject);

/** A {@link MutationError} of one mutation. */
export interface MutationErrorOf<M extends keyof MutationErrors> extends MutationError {
  /** The typed errors of the mutation; check `__typename` to tell them apart. */
  readonly errors: readonly MutationErrors[M][];
}

/**
 * Whether an error is a {@link MutationError} of this mutation. Narrows `errors`, so you can check their `__typename`.
 *
 * @example
 * ```ts
 * if (isMutationError(error, "updateProcurementCase")) {
 *   const names = error.errors.map((entry) => entry.__typename);
 *   const isMissing = names.includes("ProcurementCaseNotFoundError");
 * }
 * ```
 */
export function isMutationError<M extends keyof MutationErrors>(
  error: unknown,
  mutation: M,
): error is MutationErrorOf<M> {
  return error instanceof MutationError && error.mutation === mutation;
}

/**
 * Sends a mutation and returns the result in its payload.
 * @param read Reads the result from a payload without errors; returns undefined or null if there is no result.
 * @throws {MutationError} the payload has typed errors
 * @throws {TransportError} the payload shows neither success nor failure
 */
export async function mutate<Name extends keyof MutationErrors, Value>(
  transport: Transport,
  name: Name,
  variables: object,
  options: MutationOptions | undefined,
  read: (payload: Payloads[Name]) => Value | null | undefined,
): Promise<Value> {
  const copy = copyVariables(variables, true);
  const own = readOptions(name, options ?? {}, MUTATION_OPTIONS);
  return withCallSite(own.signal, async () => {
    const { data, requestId, redact } = await transport.send(DOCUMENTS[name], () => copy, own, answerOf);
    const unclear = (what: string) =>
      new TransportError(
        `The answer to ${name} ${what}. The change may or may not have been made: read the data to find out.`,
        { requestId },
      );
    const payload: Payloads[Name] | null = data[name];
    if (!isJsonObject(payload)) throw unclear("has no payload");
    const errors = payload.errors ?? [];
    if (!isArrayOfObjects(errors)) throw unclear("has errors that are not a list");
    if (errors.length > 0) {
      // A server may echo the credential in an error, or in the data that it sends along.
      redactStrings(errors, redact);
      throw refused({ mutation: name, errors: errors.slice(0, MAX_ENTRIES).map(withMessage), requestId });
    }
    const value = read(payload);
    if (value === null || value === undefined) throw unclear("has neither a result nor an error");
    return value;
  });
}

function refused(details: Pick<MutationError, "mutation" | "errors" | "requestId">): MutationError {
  const { errors, mutation } = details;
  const types = [...new Set(errors.map(({ __typename }) => __typename))]
    .filter((type) => typeof type === "string" && /^\w{1,100}$/.test(type))
    .slice(0, MAX_SHOWN_TYPES);
  const shown = types.length === 0 ? "" : `: ${types.join(", ")}`;
  const more = { serverMessage: errors[0]?.message, advice: { option: "errors", text: " See errors." } };
  return new MutationError(`The service refused ${mutation}${shown}. See errors.`, { ...details, ...more });
}

/** The types promise a message, but a server may omit it. */
function withMessage<Entry extends { readonly message: string }>(entry: Entry): Entry {
  const message: unknown = entry.message;
  return { ...entry, message: typeof message === "string" ? message : "" };
}
