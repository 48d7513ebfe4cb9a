import { withCallSite } from "../core/call-site.js";
import { MutationError, TransportError } from "../core/errors/index.js";
import { narrowingFilter } from "./filters.js";
import {
  ChangeVendorsStateDocument,
  type ChangeVendorsStateInput,
  type ChangeVendorsStateMutation,
  CreateProcurementCaseDocument,
  type CreateProcurementCaseInput,
  type CreateProcurementCaseMutation,
  type ProcurementCaseFragment,
  UpdateProcurementCaseDocument,
  type UpdateProcurementCaseInput,
  type UpdateProcurementCaseMutation,
  type VendorDiscoveryFilterInput,
} from "./generated/operations.js";
import { type MutationOptions, readRequestOptions } from "./options.js";
import { readCount } from "./paging/page-walk.js";
import type { GraphQLDocument } from "./request/document.js";
import { MAX_ENTRIES, redactStrings } from "./request/error-entries.js";
import type { ReceivedData, Transport } from "./request/transport.js";
import { copyVariables, isJsonObject, type JsonObject } from "./request/variables.js";

/** What the mutations return, by their names. */
interface MutationPayloads {
  readonly createProcurementCase: NonNullable<CreateProcurementCaseMutation["createProcurementCase"]>;
  readonly updateProcurementCase: NonNullable<UpdateProcurementCaseMutation["updateProcurementCase"]>;
  readonly changeVendorsState: NonNullable<ChangeVendorsStateMutation["changeVendorsState"]>;
}

/** Name of a mutation. */
export type MutationName = keyof MutationPayloads;

/** The typed errors of a mutation: a union on `__typename`, with a member for those that are not known yet. */
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
      /** The server's own id of the request; undefined if it sent none. */
      readonly requestId: string | undefined;
    };

/** What `changeVendorsState` did. */
export interface VendorsStateChange {
  /** Number of vendors whose state was set. */
  readonly updatedCount: number;
}

/** The payload of a mutation is the only field of its data. */
type MutationData<Name extends MutationName> = { readonly [N in Name]: MutationPayloads[N] | null };

/** Takes the result out of a payload without errors; null if it has none. */
type ResultReader<Name extends MutationName, Value> = (payload: MutationPayloads[Name]) => Value | null;

const MAX_SHOWN_TYPES = 5;

/**
 * Whether an error is a {@link MutationError} of this mutation, whose `errors` can then be told apart by `__typename`.
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
): error is MutationError<MutationErrorOf<Name>> {
  return error instanceof MutationError && error.mutation === mutation;
}

/**
 * The mutations, resolving with `{ ok: false, errors }` if the service refuses the change (service description,
 * "Typed mutation errors"). All other failures (network, credential, `errors` of the response) still reject.
 */
export class SafeMutations {
  readonly #transport: Transport;

  /** @internal Made by the client. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Opens a procurement case.
   * @throws {GraphQLResponseError} the response has `errors` of its own; also every other error of a request
   */
  async createProcurementCase(
    input: CreateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<MutationOutcome<"createProcurementCase", ProcurementCaseFragment>> {
    const variables = copyVariables({ input }, { allowDates: false });
    return this.#run("createProcurementCase", CreateProcurementCaseDocument, variables, options, readCase);
  }

  /**
   * Changes a procurement case that is not completed.
   * @throws {GraphQLResponseError} the response has `errors` of its own; also every other error of a request
   */
  async updateProcurementCase(
    input: UpdateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<MutationOutcome<"updateProcurementCase", ProcurementCaseFragment>> {
    const variables = copyVariables({ input }, { allowDates: false });
    return this.#run("updateProcurementCase", UpdateProcurementCaseDocument, variables, options, readCase);
  }

  /**
   * Sets the state of the vendors that match `where`, or of every vendor with `"all"`.
   * @throws {InvalidInputError} `where` is missing, or has a part without a condition
   */
  async changeVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorDiscoveryFilterInput | "all",
    options?: MutationOptions,
  ): Promise<MutationOutcome<"changeVendorsState", VendorsStateChange>> {
    const filter = where === "all" ? {} : narrowingFilter(where);
    const variables = { ...copyVariables({ input }, { allowDates: false }), ...filter };
    return this.#run("changeVendorsState", ChangeVendorsStateDocument, variables, options, (payload) => {
      const updatedCount = readCount(payload.updatedCount);
      return updatedCount === undefined ? null : { updatedCount };
    });
  }

  async #run<Name extends MutationName, Value>(
    name: Name,
    document: GraphQLDocument<MutationData<Name>, never>,
    variables: JsonObject,
    options: MutationOptions | undefined,
    readResult: ResultReader<Name, Value>,
  ): Promise<MutationOutcome<Name, Value>> {
    const own = readRequestOptions(name, options);
    return withCallSite(own.signal, async () =>
      readOutcome(name, await this.#transport.request(document, variables, own), readResult),
    );
  }
}

/** Returns the value of an outcome. @throws {MutationError} the service refused the change */
export function valueOrThrow<Name extends MutationName, Value>(
  mutation: Name,
  outcome: MutationOutcome<Name, Value>,
): Value {
  if (outcome.ok) return outcome.value;
  const { errors, payload, requestId } = outcome;
  const types = [...new Set(errors.map(({ __typename }) => __typename))]
    .filter((type) => typeof type === "string" && /^\w{1,100}$/.test(type))
    .slice(0, MAX_SHOWN_TYPES);
  throw new MutationError(
    `The service refused ${mutation}${types.length === 0 ? "" : `: ${types.join(", ")}`}. See errors.`,
    { mutation, errors, payload, requestId, serverMessage: errors[0]?.message },
  );
}

/** @throws {TransportError} the payload shows neither success nor failure */
function readOutcome<Name extends MutationName, Value>(
  name: Name,
  { data, requestId, redact }: ReceivedData<MutationData<Name>>,
  readResult: ResultReader<Name, Value>,
): MutationOutcome<Name, Value> {
  const unclear = (what: string) =>
    new TransportError(
      `The answer to ${name} ${what}. It is not known whether the change was made: read the data to find out.`,
      { requestId },
    );
  const payload: MutationPayloads[Name] | null = data[name];
  if (!isJsonObject(payload)) throw unclear("has no payload");
  if (!isArrayOfObjects(payload.errors ?? [])) throw unclear("has errors that are not a list");
  if (payload.errors !== null && payload.errors !== undefined && payload.errors.length > 0) {
    // A server may echo the credential in an error, and in whatever it sends with it.
    redactStrings(payload, redact);
    const { errors, ...rest } = payload;
    return {
      ok: false,
      errors: errors.slice(0, MAX_ENTRIES).map((entry) => withMessage(entry)),
      payload: rest,
      requestId,
    };
  }
  const value = readResult(payload);
  if (value === null) throw unclear("has neither a result nor an error");
  return { ok: true, value };
}

/** The types promise a message; a server may leave it out. */
function withMessage<Entry extends { readonly message: string }>(entry: Entry): Entry {
  const message: unknown = entry.message;
  return { ...entry, message: typeof message === "string" ? message : "" };
}

function isArrayOfObjects(errors: unknown): boolean {
  return Array.isArray(errors) && errors.every(isJsonObject);
}

function readCase<Case>({ case: result }: { readonly case: Case }): Case | null {
  return isJsonObject(result) ? result : null;
}
