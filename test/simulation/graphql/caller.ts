import type { MutationOptions } from "@saas-management/sdk/graphql";
import { CANARY } from "./canary.js";
import { connectionOf } from "./connections.js";
import type { Call } from "./journal.js";
import { begin, type CallerParts } from "./parts.js";
import type { MutationKind, Range, Step } from "./program.js";
import { walk } from "./walks.js";

const OWN_QUERY = "query Own($note: String) { own(note: $note) { id note } }";
const OWN_MUTATION = "mutation Change($note: String) { change(note: $note) { id note } }";

/** A page or a count that a caller requested. */
export interface ObservedRead {
  readonly call: Call;
  readonly what: "page" | "count";
  readonly range: Range;
}

/** Runs the steps of one caller and records the outcomes. Never rejects. */
export async function runCaller(steps: readonly Step[], parts: CallerParts): Promise<void> {
  for (const step of steps) {
    if (step.do === "pause") await parts.clock.sleepElsewhere(step.ms);
    else if (step.do === "walk") await walk(step.walk, parts);
    else if (step.do === "page" || step.do === "count") await readOnce(step, parts);
    else if (step.do === "query") await query(step, parts);
    else if (step.do === "mutation") await mutate(step, parts);
    else await close(parts);
  }
}

/** Closes the client: from now on nothing may be sent, and nothing may be left when it has closed. */
export async function close({ client, journal, observation }: CallerParts): Promise<void> {
  const closed = client.close();
  journal.closing ??= journal.moment();
  const left = journal.underWay().length;
  if (left > 0) journal.misdeeds.push(`cancellation: ${left} requests continue after close() was called`);
  await observation.settle(closed);
}

async function readOnce(step: Extract<Step, { do: "page" | "count" }>, parts: CallerParts): Promise<void> {
  const { client, journal } = parts;
  const { range, limits } = step;
  const { call, options, made } = begin(parts, limits, { kind: "query", repeatable: true, raw: false });
  parts.reads.push({ call, what: step.do, range });
  const { limit } = range;
  const bounds = limit === undefined ? {} : { limit };
  const connection = connectionOf(client, range, call.id, { ...options, ...bounds });
  const answer =
    step.do === "count"
      ? connection.totalCount()
      : connection.firstPage().then(({ nodes }) => nodes.map(({ id }) => id));
  made();
  await journal.settle<unknown>(call, answer);
}

async function query({ raw, limits }: Extract<Step, { do: "query" }>, parts: CallerParts): Promise<void> {
  const { client, journal } = parts;
  const { call, options, made } = begin(parts, limits, { kind: "query", repeatable: true, raw });
  const variables = { note: `${call.id} ${CANARY}` };
  const answer = raw
    ? client.rawRequest(OWN_QUERY, variables, options).then(({ data }) => data)
    : client.request(OWN_QUERY, variables, options);
  made();
  await journal.settle(call, answer);
}

async function mutate(
  { mutation, idempotent, limits }: Extract<Step, { do: "mutation" }>,
  parts: CallerParts,
): Promise<void> {
  const kind = { kind: "mutation", repeatable: idempotent, raw: false } as const;
  const { call, options, made } = begin(parts, limits, kind);
  const answer = send(parts, mutation, call.id, { ...options, ...(idempotent ? { idempotent } : {}) });
  made();
  await parts.journal.settle(call, answer);
}

/** Sends a mutation. */
function send(
  { client }: CallerParts,
  mutation: MutationKind,
  id: string,
  options: MutationOptions,
): Promise<unknown> {
  const name = `${id} ${CANARY}`;
  switch (mutation) {
    case "own":
      return client.request(OWN_MUTATION, { note: name }, options);
    case "create":
      return client.createProcurementCase({ name, state: "PRE" }, options);
    case "update":
      return client.updateProcurementCase({ id, name }, options);
    case "vendors":
      return client.changeVendorsState({ state: "SANCTIONED" }, { vendor: { name: { eq: name } } }, options);
  }
}
