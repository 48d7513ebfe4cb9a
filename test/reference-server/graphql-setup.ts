import { onTestFinished } from "vitest";
import { FaultInjector } from "../../src/reference-server/faults/injector.js";
import { startGraphQLServer } from "../../src/reference-server/graphql/server.js";
import type { Portfolio } from "../../src/reference-server/portfolio.js";
import { TestClock } from "../../src/reference-server/test-clock.js";
import {
  type AnyRecord,
  ApiKeys,
  type SyncedInstallation,
  Workspace,
} from "../../src/reference-server/workspace.js";

type Records = Readonly<Record<string, readonly AnyRecord[]>>;

/** Stands for missing records: always the same array, because a new array would count as a change. */
const NONE: readonly never[] = [];

/** An installation whose records a test sets by hand. */
export class HandSynced implements SyncedInstallation {
  readonly integration: { readonly id: string; readonly name: string };
  readonly #records: Record<string, readonly AnyRecord[]> = {};

  constructor(
    readonly id: string,
    integrationName: string,
  ) {
    this.integration = { id: `integration-${id}`, name: integrationName };
  }

  records(collection: string): readonly AnyRecord[] {
    return this.#records[collection] ?? NONE;
  }

  set(records: Records): this {
    Object.assign(this.#records, records);
    return this;
  }
}

/** Noon of the day on which the tests take place. */
const NOW = "2026-03-15T12:00:00Z";

/** An error of a response. */
export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string; readonly argument?: string };
}

/** Starts the GraphQL half of the reference server with one workspace, until the test is finished. */
export async function startServer(options: { portfolio?: Portfolio; pageSize?: number } = {}) {
  const clock = new TestClock({ startAt: new Date(Date.parse(NOW)) });
  const workspace = new Workspace("w1", options.portfolio);
  const installation = new HandSynced("i1", "Figma");
  workspace.installations.push(installation);
  const keys = new ApiKeys();
  const faults = new FaultInjector();
  const { pageSize = 1000 } = options;
  const server = await startGraphQLServer({ host: "127.0.0.1", port: 0, keys, faults, clock, pageSize });
  onTestFinished(() => server.close());
  const url = `http://127.0.0.1:${server.port}/graphql`;
  const key = keys.create({ workspace, scope: "read-write", permissions: [] });

  /** Sends a request with the key that may write, unless `headers` say otherwise, and returns the response. */
  async function send<Data>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = { authorization: key },
  ): Promise<{ status: number; contentType: string | null; data: Data; errors?: readonly ResponseError[] }> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const body: { data: Data; errors?: readonly ResponseError[] } = await response.json();
    return { status: response.status, contentType: response.headers.get("content-type"), ...body };
  }

  /** Sends a request that must succeed, and returns its data. */
  async function query<Data>(document: string, variables?: Readonly<Record<string, unknown>>): Promise<Data> {
    const { data, errors } = await send<Data>(document, variables);
    if (errors !== undefined)
      throw new Error(`The server answered: ${errors.map((e) => e.message).join(" ")}`);
    return data;
  }

  return { url, key, keys, faults, clock, workspace, installation, server, send, query };
}

export function account(
  id: string,
  fields: { email?: string; name?: string; username?: string; active?: boolean } = {},
): AnyRecord {
  return { variant: { $case: "generic", value: { id, roles: [], ...fields } } };
}

export function plan(
  id: string,
  externalPlanName: string,
  fields: { product?: string; paidSeats?: number; consumedSeats?: number } = {},
): AnyRecord {
  const { product, paidSeats, consumedSeats } = fields;
  const details = {
    model: 1,
    seatBased: { paidSeats, consumedSeats },
  };
  const value = { id, externalPlanName, externalProductName: product, attributes: new Map(), details };
  return { variant: { $case: "generic", value } };
}

export function license(
  sourceId: string,
  sourceAccountId: string,
  sourcePlanId: string,
  billable = true,
): AnyRecord {
  return { variant: { $case: "generic", value: { sourceId, sourceAccountId, sourcePlanId, billable } } };
}

export function employee(id: string, fullName: string, email?: string): AnyRecord {
  const value = { id, fullName, email, emailAliases: [], departmentPath: [], attributes: new Map() };
  return { variant: { $case: "generic", value } };
}

export function usage(
  sourceActorId: string,
  at: string,
  fields: { planId?: string; product?: string } = {},
): AnyRecord {
  const { planId, product } = fields;
  const value = {
    id: `${sourceActorId} ${at}`,
    sourceActorId,
    sourcePlanId: planId,
    externalProductName: product,
    lastActivity: timestamp(at),
  };
  return { variant: { $case: "generic", value } };
}

export function discoveredUsage(
  sourceActorId: string,
  product: string | undefined,
  time: { at: string } | { from: string; to: string },
  actorEmail?: string,
): AnyRecord {
  const times =
    "at" in time
      ? { lastActivity: timestamp(time.at) }
      : { lastActivityFrom: timestamp(time.from), lastActivityTo: timestamp(time.to) };
  return {
    variant: {
      $case: "generic",
      value: { sourceActorId, actorEmail, externalProductName: product, ...times },
    },
  };
}

function timestamp(at: string): { seconds: bigint; nanos: number } {
  return { seconds: BigInt(Date.parse(at)) / 1000n, nanos: 0 };
}

/** The options with which fetch posts a query. Without `key`, the request has no authorization. */
export function post(
  query: string,
  key?: string,
): RequestInit & { readonly headers: Record<string, string> } {
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: key }),
  };
  return { method: "POST", headers, body: JSON.stringify({ query }) };
}
