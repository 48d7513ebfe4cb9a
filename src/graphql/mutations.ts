import { withCallSite } from "../core/call-site.js";
import { type MutationErrorEntry, TransportError } from "../core/errors/index.js";
import { refuseDates } from "./dates.js";
import {
  ChangeVendorsStateDocument,
  type ChangeVendorsStateInput,
  CreateProcurementCaseDocument,
  type CreateProcurementCaseInput,
  type ProcurementCaseFragment,
  UpdateProcurementCaseDocument,
  type UpdateProcurementCaseInput,
  type VendorDiscoveryFilterInput,
} from "./generated/operations.js";
import type {
  MutationName,
  MutationOutcome,
  MutationPayloads,
  VendorsStateChange,
} from "./mutation-outcome.js";
import { readCount } from "./paging/page-walk.js";
import type { GraphQLDocument } from "./request/document-types.js";
import { MAX_ENTRIES } from "./request/error-entries.js";
import { isObject } from "./request/json.js";
import { RedactedCopies } from "./request/redacted-copies.js";
import { callOptions, type MutationOptions } from "./request/request-options.js";
import type { Transport } from "./request/transport.js";
import { narrowingFilter } from "./vendor-filter.js";

/**
 * The mutations, resolving with `{ ok: false, errors }` where the service refuses the change (service description,
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
  createProcurementCase(
    input: CreateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<MutationOutcome<"createProcurementCase", ProcurementCaseFragment>> {
    const name = "createProcurementCase";
    return this.#run(name, CreateProcurementCaseDocument, { input }, options, caseOf);
  }

  /**
   * Changes a procurement case that is not completed.
   * @throws {GraphQLResponseError} the response has `errors` of its own; also every other error of a request
   */
  updateProcurementCase(
    input: UpdateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<MutationOutcome<"updateProcurementCase", ProcurementCaseFragment>> {
    const name = "updateProcurementCase";
    return this.#run(name, UpdateProcurementCaseDocument, { input }, options, caseOf);
  }

  /**
   * Sets the state of the vendors that match `where`, or of every vendor with `"all"`.
   * @throws {InvalidInputError} `where` is left out, or has a part without a condition
   */
  async changeVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorDiscoveryFilterInput | "all",
    options?: MutationOptions,
  ): Promise<MutationOutcome<"changeVendorsState", VendorsStateChange>> {
    const variables = where === "all" ? { input } : { input, where: narrowingFilter(where) };
    const name = "changeVendorsState";
    return this.#run(name, ChangeVendorsStateDocument, variables, options, (payload) => {
      const updatedCount = readCount(payload.updatedCount);
      return updatedCount === undefined ? null : { updatedCount };
    });
  }

  async #run<Name extends MutationName, Value>(
    name: Name,
    document: MutationDocument<Name>,
    variables: object,
    given: MutationOptions | undefined,
    resultOf: ResultOf<Name, Value>,
  ): Promise<MutationOutcome<Name, Value>> {
    const options = callOptions(name, given);
    refuseDates(variables);
    return withCallSite(options?.signal, async () => {
      const answer = await this.#transport.identifiedRequest(document, variables, options);
      return outcomeOf(name, answer.data[name], answer, resultOf);
    });
  }
}

/** Reads a payload. @throws {TransportError} it tells neither success nor failure */
function outcomeOf<Name extends MutationName, Value>(
  name: Name,
  payload: MutationPayloads[Name] | null,
  { requestId, redact }: AnswerFacts,
  resultOf: ResultOf<Name, Value>,
): MutationOutcome<Name, Value> {
  if (!isObject(payload)) throw unclear(name, "has no payload", requestId);
  const { errors, ...rest } = payload;
  if (!isListOfObjects(errors ?? [])) throw unclear(name, "has errors that are none", requestId);
  if (errors !== null && errors !== undefined && errors.length > 0) {
    const copies = new RedactedCopies(redact);
    // First: it is what was asked for, and there is no bound to what a server writes into errors.
    const cleanRest = copies.ofObject(rest);
    const entries = errors.slice(0, MAX_ENTRIES).map((entry) => clean(entry, copies));
    return { ok: false, errors: entries, payload: cleanRest, requestId };
  }
  const value = resultOf(payload);
  if (value === null) throw unclear(name, "holds neither a result nor an error", requestId);
  return { ok: true, value };
}

/** A copy of an entry with the credential taken out of all that it holds, and a message where it has none. */
function clean<Entry extends MutationErrorEntry>(entry: Entry, copies: RedactedCopies): Entry {
  const message: unknown = entry.message;
  const type: unknown = entry.__typename;
  return {
    ...copies.ofObject(entry),
    ...(typeof type === "string" ? { __typename: copies.redact(type) } : {}),
    message: typeof message === "string" ? copies.redact(message) : "",
  };
}

/** What is known of the answer that a payload came with. */
interface AnswerFacts {
  readonly requestId: string | undefined;
  /** Takes the credential out of a text of the server's. */
  readonly redact: (text: string) => string;
}

/** A mutation's document: its payload is the one field of the data. */
type MutationDocument<Name extends MutationName> = GraphQLDocument<
  { readonly [N in Name]: MutationPayloads[N] | null },
  never
>;

/** Takes the result out of a payload without errors; null where it holds none. */
type ResultOf<Name extends MutationName, Value> = (payload: MutationPayloads[Name]) => Value | null;

/** The types say so already, and a server may not. */
function isListOfObjects(errors: unknown): boolean {
  return Array.isArray(errors) && errors.every(isObject);
}

function caseOf<Case>(payload: { readonly case: Case }): Case | null {
  return isObject(payload.case) ? payload.case : null;
}

function unclear(name: MutationName, what: string, requestId: string | undefined): TransportError {
  return new TransportError(
    `The answer to ${name} ${what}: whether the change was made is not known. Read the data to find out.`,
    { requestId },
  );
}
