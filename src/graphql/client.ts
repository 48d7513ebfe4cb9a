import { withCallSite } from "../core/call-site.js";
import type { GraphQLClientOptions } from "./configuration.js";
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
import { type VendorsStateChange, valueOrThrow } from "./mutation-outcome.js";
import { SafeMutations } from "./mutations.js";
import type { ConnectionOptions } from "./paging/arguments.js";
import type { Connection } from "./paging/connection.js";
import {
  type ApplicationsArguments,
  type LicensePlansArguments,
  type LicensesArguments,
  list,
} from "./paging/list.js";
import { type PaginateOptions, paginate } from "./paging/paginate.js";
import type { GraphQLAnswer } from "./request/answer.js";
import type { DocumentArguments, GraphQLDocument } from "./request/document-types.js";
import { callOptions, type MutationOptions } from "./request/request-options.js";
import { Transport } from "./request/transport.js";

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

  /** The mutations, resolving with `{ ok, value }` or `{ ok, errors }` for those who do not want them to throw. */
  readonly safe: SafeMutations;

  /** @throws {ConfigurationError} an option is missing or not usable */
  constructor(options: GraphQLClientOptions) {
    this.#transport = new Transport(options);
    this.safe = new SafeMutations(this.#transport);
  }

  /**
   * The applications of the workspace.
   * @throws {InvalidInputError} the directions of paging are mixed, or a value is not usable
   */
  applications(
    args: ApplicationsArguments = {},
    options: ConnectionOptions = {},
  ): Connection<ApplicationDiscoveryFragment> {
    return list(this.#transport, "applications", ApplicationsDocument, args, options);
  }

  /**
   * The licenses: assignments of a plan's seats to employees or external users.
   * @throws {InvalidInputError} the directions of paging are mixed, or a value is not usable
   */
  licenses(args: LicensesArguments = {}, options: ConnectionOptions = {}): Connection<LicenseFragment> {
    return list(this.#transport, "licenses", LicensesDocument, args, options);
  }

  /**
   * The license plans, with contract, prices and use of seats.
   * @throws {InvalidInputError} the directions of paging are mixed, or a value is not usable
   */
  licensePlans(
    args: LicensePlansArguments = {},
    options: ConnectionOptions = {},
  ): Connection<LicensePlanFragment> {
    return list(this.#transport, "licensePlans", LicensePlansDocument, args, options);
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
    const own = callOptions("createProcurementCase", options);
    return withCallSite(own?.signal, async () =>
      valueOrThrow("createProcurementCase", await this.safe.createProcurementCase(input, own)),
    );
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
    const own = callOptions("updateProcurementCase", options);
    return withCallSite(own?.signal, async () =>
      valueOrThrow("updateProcurementCase", await this.safe.updateProcurementCase(input, own)),
    );
  }

  /**
   * Sets the state of vendors, and so of their applications.
   *
   * @param where Which vendors, or `"all"` for every vendor of the workspace. A filter with an empty part, also one
   * that `undefined` left empty, is refused: it would reach more vendors than was meant.
   * @throws {InvalidInputError} `where` is left out or has a part without a condition; nothing was sent
   * @throws {MutationError} the change failed; narrow with `isMutationError(e, "changeVendorsState")`
   */
  async changeVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorDiscoveryFilterInput | "all",
    options?: MutationOptions,
  ): Promise<VendorsStateChange> {
    const own = callOptions("changeVendorsState", options);
    return withCallSite(own?.signal, async () =>
      valueOrThrow("changeVendorsState", await this.safe.changeVendorsState(input, where, own)),
    );
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
    const own = callOptions("request", options);
    return withCallSite(own?.signal, () => this.#transport.request<Result>(document, variables, own));
  }

  /**
   * Sends a document of your own and takes the response as it is: data, which may be partial or null, and errors. It still
   * rejects where the request as a whole failed (network, credential, rate limit).
   * @throws {AuthenticationError | RateLimitError | TransportError | TimeoutError | ClosedError}
   */
  async rawRequest<Result = unknown, Variables extends object = object>(
    document: GraphQLDocument<Result, Variables>,
    ...[variables, options]: DocumentArguments<Variables, MutationOptions>
  ): Promise<GraphQLAnswer<Result>> {
    const own = callOptions("rawRequest", options);
    return withCallSite(own?.signal, () => this.#transport.rawRequest<Result>(document, variables, own));
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

  /** Refuses new requests, cancels those under way and waits until they have ended. May be called again. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
