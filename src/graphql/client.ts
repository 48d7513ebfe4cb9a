import { withCallSite } from "../core/call-site.js";
import {
  type ApplicationDiscoveryFragment,
  ApplicationsDocument,
  type ChangeVendorsStateInput,
  type CreateProcurementCaseInput,
  type LicenseFragment,
  type LicensePlanFragment,
  LicensePlansDocument,
  LicensesDocument,
  type ProcurementCaseFragment,
  type UpdateProcurementCaseInput,
  type VendorDiscoveryFilterInput,
} from "./generated/operations.js";
import { SafeMutations, type VendorsStateChange, valueOrThrow } from "./mutations.js";
import { type GraphQLOptions, type MutationOptions, readRequestOptions, resolveOptions } from "./options.js";
import type { ConnectionOptions } from "./paging/arguments.js";
import type { Connection } from "./paging/connection.js";
import { listConnection, type PaginateOptions, paginate } from "./paging/paginate.js";
import type { DocumentArguments, GraphQLDocument } from "./request/document.js";
import type { GraphQLAnswer } from "./request/response.js";
import { Transport } from "./request/transport.js";
import { copyVariables } from "./request/variables.js";
import type { ApplicationsArguments, LicensePlansArguments, LicensesArguments } from "./types.js";

/**
 * The GraphQL API of one workspace (service description, "GraphQL API").
 *
 * - Queries are repeated after transient failures, mutations never unless a call says `idempotent: true`.
 * - A method that returns a promise rejects with an error of the SDK, or with the reason of the caller's signal.
 *
 * @example
 * ```ts
 * const client = new GraphQLClient({ baseUrl: "https://api.example.com", apiKey });
 * for await (const plan of client.licensePlans({ where: renewalBetween("2026-01-01", "2026-03-31") })) {
 *   console.log(plan.name, plan.usageStats.unused.total);
 * }
 * await client.close();
 * ```
 */
export class GraphQLClient {
  readonly #transport: Transport;

  /** The mutations, resolving with `{ ok, value }` or `{ ok, errors }` instead of throwing a {@link MutationError}. */
  readonly safe: SafeMutations;

  /** @throws {ConfigurationError} an option is missing or not usable */
  constructor(options: GraphQLOptions) {
    this.#transport = new Transport(resolveOptions(options));
    this.safe = new SafeMutations(this.#transport);
  }

  /**
   * The applications of the workspace.
   * @throws {InvalidInputError} both directions of paging are mixed, or a value is not usable
   */
  applications(
    args: ApplicationsArguments = {},
    options: ConnectionOptions = {},
  ): Connection<ApplicationDiscoveryFragment> {
    return listConnection(this.#transport, "applications", ApplicationsDocument, args, options);
  }

  /**
   * The licenses: assignments of a plan's seats to employees or external users.
   * @throws {InvalidInputError} both directions of paging are mixed, or a value is not usable
   */
  licenses(args: LicensesArguments = {}, options: ConnectionOptions = {}): Connection<LicenseFragment> {
    return listConnection(this.#transport, "licenses", LicensesDocument, args, options);
  }

  /**
   * The license plans, with contract, prices and use of seats.
   * @throws {InvalidInputError} both directions of paging are mixed, or a value is not usable
   */
  licensePlans(
    args: LicensePlansArguments = {},
    options: ConnectionOptions = {},
  ): Connection<LicensePlanFragment> {
    return listConnection(this.#transport, "licensePlans", LicensePlansDocument, args, options);
  }

  /**
   * Opens a procurement case.
   * @returns the new case
   * @throws {MutationError} it could not be created; narrow with `isMutationError(e, "createProcurementCase")`
   */
  async createProcurementCase(
    input: CreateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<ProcurementCaseFragment> {
    return valueOrThrow("createProcurementCase", await this.safe.createProcurementCase(input, options));
  }

  /**
   * Changes a procurement case that is not completed.
   * @returns the changed case
   * @throws {MutationError} it is completed or does not exist; narrow with
   * `isMutationError(e, "updateProcurementCase")`
   */
  async updateProcurementCase(
    input: UpdateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<ProcurementCaseFragment> {
    return valueOrThrow("updateProcurementCase", await this.safe.updateProcurementCase(input, options));
  }

  /**
   * Sets the state of vendors, and so of their applications.
   *
   * @param where Which vendors, or `"all"` for every vendor of the workspace. A filter with an empty part, also one
   * that became empty because a value was `undefined`, is refused: it would reach more vendors than intended.
   * @throws {InvalidInputError} `where` is missing or has a part without a condition; nothing was sent
   * @throws {MutationError} the change failed; narrow with `isMutationError(e, "changeVendorsState")`
   */
  async changeVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorDiscoveryFilterInput | "all",
    options?: MutationOptions,
  ): Promise<VendorsStateChange> {
    return valueOrThrow("changeVendorsState", await this.safe.changeVendorsState(input, where, options));
  }

  /**
   * Sends a document of your own.
   * @returns the response's data
   * @throws {GraphQLResponseError} the response has `errors`; the error carries them and the partial data
   */
  async request<Result = unknown, Variables extends object = object>(
    document: GraphQLDocument<Result, Variables>,
    ...[variables, options]: DocumentArguments<Variables, MutationOptions>
  ): Promise<Result> {
    const own = readRequestOptions("request", options);
    const copy = copyVariables(variables ?? {}, { allowDates: true });
    return withCallSite(own.signal, async () => {
      const { data } = await this.#transport.request<Result>(document, copy, own);
      return data;
    });
  }

  /**
   * Sends a document of your own and returns the response as it is: data, which may be partial or null, and errors. It
   * still rejects if the request as a whole failed (network, credential, rate limit).
   * @throws {AuthenticationError | RateLimitError | TransportError | TimeoutError | ClosedError}
   */
  async rawRequest<Result = unknown, Variables extends object = object>(
    document: GraphQLDocument<Result, Variables>,
    ...[variables, options]: DocumentArguments<Variables, MutationOptions>
  ): Promise<GraphQLAnswer<Result>> {
    const own = readRequestOptions("rawRequest", options);
    const copy = copyVariables(variables ?? {}, { allowDates: true });
    return withCallSite(own.signal, () => this.#transport.rawRequest<Result>(document, copy, own));
  }

  /**
   * A connection of a document of your own, which may be nested in its result.
   *
   * @example
   * ```ts
   * client.paginate(ApplicationNames, {}, { select: (data) => data.applications });
   * ```
   * @throws {InvalidInputError} names or values of paging are not usable
   */
  paginate<Result, Node, Variables extends object = Readonly<Record<string, unknown>>>(
    document: GraphQLDocument<Result, Variables>,
    variables: NoInfer<Variables>,
    options: PaginateOptions<Result, Extract<keyof NoInfer<Variables>, string>, Node>,
  ): Connection<Node> {
    return paginate(this.#transport, document, variables, options);
  }

  /** Refuses new requests, cancels those that are running and waits for their end. May be called again. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
