/** What the test's page runs: a walk over pages, a mutation, a refused mutation and a wrong key. */
import {
  AuthenticationError,
  GraphQLClient,
  isMutationError,
  sumByCurrency,
} from "@saas-management/sdk/graphql";
import { NEW_CASE } from "../../support/records.js";

export interface PageResult {
  readonly names: readonly string[];
  readonly total: number;
  readonly opened: string;
  readonly refusedWith: string | undefined;
  readonly wrongKeyIsRejected: boolean;
  readonly sum: string | undefined;
  /** The reason of the caller's signal. */
  readonly leftWith: unknown;
}

interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
}

declare global {
  /** Called by the test, in the page. */
  var tryFacade: (service: Service) => Promise<PageResult>;
  /** The number of applications, or the message of the failure. */
  var tryCount: (service: Service) => Promise<number | string>;
}

globalThis.tryFacade = async ({ baseUrl, apiKey }) => {
  const client = new GraphQLClient({ baseUrl, apiKey });
  const applications = client.applications({ pageSize: 2, order: { application: { name: "ASC" } } });
  const names: string[] = [];
  for await (const { application } of applications) names.push(application.name);
  const { name: opened } = await client.createProcurementCase(NEW_CASE);
  const refusal = await reason(client.updateProcurementCase({ id: "none", name: "x" }));
  const stranger = new GraphQLClient({ baseUrl, apiKey: "wrong" });
  const left = client.applications({ signal: AbortSignal.abort("left") });
  return {
    names,
    total: await applications.totalCount(),
    opened,
    refusedWith: isMutationError(refusal, "updateProcurementCase")
      ? refusal.errors[0]?.__typename
      : undefined,
    wrongKeyIsRejected: (await reason(stranger.applications().firstPage())) instanceof AuthenticationError,
    sum: (await sumByCurrency([0.1, 0.2], (amount) => ({ amount, currency: "EUR" }))).get("EUR"),
    leftWith: await reason(left.firstPage()),
  };
};

globalThis.tryCount = (service) =>
  new GraphQLClient({ ...service, retry: false })
    .applications()
    .totalCount()
    .catch((error: Error) => error.message);

async function reason(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
