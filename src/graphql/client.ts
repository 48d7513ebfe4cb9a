/// <reference lib="esnext.disposable" preserve="true" />
import type { GraphQLResponseError } from "../core/errors/index.js";
import { withCallSite } from "../core/operation.js";
import type { GraphQLOptions } from "../core/options.js";
import { readOptions } from "../core/validate.js";
import {
  type Application,
  type ApplicationFilter,
  type ApplicationOrder,
  ApplicationsDocument,
  type ChangeVendorsStateInput,
  type CreateProcurementCaseInput,
  type License,
  type LicenseFilter,
  type LicenseOrder,
  type LicensePlan,
  type LicensePlanFilter,
  type LicensePlanOrder,
  LicensePlansDocument,
  LicensesDocument,
  type ProcurementCase,
  type UpdateProcurementCaseInput,
  type VendorFilter,
} from "./generated/operations.js";
import { mutate } from "./mutations.js";
import {
  type ListOptions,
  MUTATION_OPTIONS,
  type MutationOptions,
  type RequestOptions,
  resolveOptions,
} from "./options.js";
import type { Connection } from "./paging/connection.js";
import { readCount } from "./paging/page-walk.js";
import { listConnection, type PaginateOptions, paginate } from "./paging/paginate.js";
import type { Document } from "./request/document.js";
import type { Failures } from "./request/failures.js";
import type { GraphQLAnswer } from "./request/response.js";
import { dataOf, Transport } from "./request/transport.js";
import { copyVariables, isJsonObject } from "./request/variables.js";
import { previewVendors, vendorVariables } from "./vendors.js";

/**
 * The GraphQL API of one workspace (service description, "GraphQL API").
 *
 * - Queries are retried after transient failures. Mutations are retried only if you pass `idempotent: true`.
 * - A method that returns a promise rejects with an error of the SDK, or with the reason of your signal.
 *
 * @example
 * ```ts
 * const baseUrl = "https://api.example.com";
 * const client = new GraphQLClient({ baseUrl, apiKey });
 * const value = { gte: "2026-01-01", lte: "2026-03-31" };
 * const where = { contractDetails: { renewal: { upcomingDate: { value } } } };
 * for await (const plan of client.licensePlans({ where })) {
 *   console.log(plan.name, plan.usageStats.unused.total);
 * }
 * await client.close();
 * ```
 */
export class GraphQLClient implements AsyncDisposable {
  readonly #transport: Transport;

  /**
   * @throws {ConfigurationError} an option is missing or invalid
   * @throws {AuthenticationError} there is no credential
   */
  constructor(options: GraphQLOptions) {
    this.#transport = new Transport(resolveOptions(options));
  }

  /**
   * The applications of the workspace.
   * @throws {InvalidInputError} an option or a date is invalid
   */
  applications(
    ...given: [options?: ListOptions<ApplicationFilter, ApplicationOrder>]
  ): Connection<Application> {
    return listConnection(this.#transport, "applications", ApplicationsDocument, given);
  }

  /**
   * The licenses: seats of a plan, assigned to employees or external users.
   * @throws {InvalidInputError} an option or a date is invalid
   */
  licenses(...given: [options?: ListOptions<LicenseFilter, LicenseOrder>]): Connection<License> {
    return listConnection(this.#transport, "licenses", LicensesDocument, given);
  }

  /**
   * The license plans, with contract, prices and seat usage.
   * @throws {InvalidInputError} an option or a date is invalid
   */
  licensePlans(
    ...given: [options?: ListOptions<LicensePlanFilter, LicensePlanOrder>]
  ): Connection<LicensePlan> {
    return listConnection(this.#transport, "licensePlans", LicensePlansDocument, given);
  }

  /**
   * Opens a procurement case.
   * @returns the new case
   * @throws {MutationError} the case couldn't be created; narrow with `isMutationError(e, "createProcurementCase")`
   */
  async createProcurementCase(
    input: CreateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<ProcurementCase> {
    return mutate(this.#transport, "createProcurementCase", { input }, options, readCase);
  }

  /**
   * Changes a procurement case that isn't completed yet.
   * @returns the changed case
   * @throws {MutationError} the case is completed or doesn't exist; narrow with
   *   `isMutationError(e, "updateProcurementCase")`
   */
  async updateProcurementCase(
    input: UpdateProcurementCaseInput,
    options?: MutationOptions,
  ): Promise<ProcurementCase> {
    return mutate(this.#transport, "updateProcurementCase", { input }, options, readCase);
  }

  /**
   * Sets the state of vendors, and with it the state of their applications.
   *
   * @param where Which vendors to change, or `"all"` for every vendor of the workspace. A filter with an empty part,
   *   such as a value that is `undefined`, is refused, because it would match more vendors than you meant.
   * @returns the number of changed vendors
   * @throws {InvalidInputError} the state or `where` is missing, or a part of `where` has no condition; nothing was
   *   sent
   * @throws {MutationError} the change failed; narrow with `isMutationError(e, "changeVendorsState")`
   */
  async changeVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorFilter | "all",
    options?: MutationOptions,
  ): Promise<{ readonly updatedCount: number }> {
    const variables = vendorVariables(input, where);
    return mutate(this.#transport, "changeVendorsState", variables, options, readUpdated);
  }

  /**
   * Shows which vendors {@link GraphQLClient.changeVendorsState} would match now with the same arguments. Sends only
   * queries.
   *
   * No query lists vendors, so this reads every page of the matching applications. The preview can't see vendors
   * without applications, and counts vendors with the same name as one.
   *
   * @returns the vendors' names, sorted, and how many there are; `count` is undefined if the vendor of a matching
   *   application has no name
   * @throws {InvalidInputError} the change itself would be refused before sending, or a field in `where` has no
   *   counterpart in applications
   * @throws {GraphQLResponseError} the service doesn't know the state
   */
  async previewVendorsState(
    input: ChangeVendorsStateInput,
    where: VendorFilter | "all",
    options?: RequestOptions,
  ): Promise<{ readonly count: number | undefined; readonly vendorNames: readonly string[] }> {
    return previewVendors(this.#transport, input, where, options);
  }

  /**
   * Sends a document of your own.
   * @returns the response's data
   * @throws {GraphQLResponseError} the response has `errors`; the error contains them and the partial data
   */
  async request<Data = unknown, Variables extends object = object>(
    document: Document<Data, Variables>,
    variables: NoInfer<Variables>,
    options?: MutationOptions,
  ): Promise<Data> {
    const own = readOptions("request", options ?? {}, MUTATION_OPTIONS);
    const copy = copyVariables(variables ?? {});
    return withCallSite(own.signal, () => this.#transport.send(document, () => copy, own, dataOf<Data>));
  }

  /**
   * Sends a document of your own and returns the response as is, with its `errors`. The promise still rejects if the
   * whole request failed (network, credential, rate limit).
   * @returns `data`, which may be partial, and is null if the HTTP status isn't a success; `errors`, at most 1,000; and
   *   `requestId`, the server's own id of the request, if it sent one
   * @throws {AuthenticationError | RateLimitError | TransportError | TimeoutError | ClosedError}
   */
  async rawRequest<Data = unknown, Variables extends object = object>(
    document: Document<Data, Variables>,
    variables: NoInfer<Variables>,
    options?: MutationOptions,
  ): Promise<{
    readonly data: Data | null;
    readonly errors: GraphQLResponseError["errors"];
    readonly status: number;
    readonly headers: Headers;
    readonly requestId: string | undefined;
  }> {
    const own = readOptions("rawRequest", options ?? {}, MUTATION_OPTIONS);
    const copy = copyVariables(variables ?? {});
    const read = (answer: GraphQLAnswer<Data>, failures: Failures) => {
      if (answer.errors.length === 0 && answer.data === null) throw failures.notGraphQL(answer);
      return answer;
    };
    return withCallSite(own.signal, () => this.#transport.send(document, () => copy, own, read));
  }

  /**
   * Pages through a connection in a document of your own; the connection may be nested in the data. The document must
   * declare variables for the page size and the cursor.
   *
   * @example
   * ```ts
   * client.paginate(Names, {}, { select: (data) => data.applications });
   * ```
   * @throws {InvalidInputError} an option, or the name or value of a paging variable, is invalid
   */
  paginate<Data, Node, Variables extends object = Readonly<Record<string, unknown>>>(
    document: Document<Data, Variables>,
    variables: NoInfer<Variables>,
    options: PaginateOptions<Data, Node, keyof NoInfer<Variables>>,
  ): Connection<Node> {
    return paginate(this.#transport, document, variables, options);
  }

  /** Refuses new requests, cancels running ones and waits for them to end. You can call `close` more than once. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** Closes the client, as `close()` does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function readUpdated(payload: { readonly updatedCount: unknown }) {
  const updatedCount = readCount(payload.updatedCount);
  return updatedCount === undefined ? undefined : { updatedCount };
}

function readCase({ case: result }: { readonly case: ProcurementCase | null }): ProcurementCase | null {
  return isJsonObject(result) ? result : null;
}
