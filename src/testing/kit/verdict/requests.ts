import { inspect } from "node:util";
import { redactSecrets } from "../../../core/redact.js";
import { isObject } from "../../../core/validate.js";
import { count } from "../../../sync/report-text.js";
import type { Exchange } from "../cassette/cassette.js";
import type { RunResult, RunSetup } from "../run/run.js";
import { partsOf } from "../structure/request-parts.js";
import { recorded } from "../vendor/messages.js";
import type { PlayedRequest } from "../vendor/playback.js";

const LONGEST = 80;
const LONGEST_VALUE = 20;

/** For example `GET /users?page=2` or `POST /search (type=user, offset=10)`, without credentials. */
function describeRequest(request: PlayedRequest, { credentials }: RunResult): string {
  const { pathname, search } = new URL(request.url);
  const parts = partsOf(recorded(request))
    .filter(({ in: where, value }) => (where === "json" || where === "form") && value.length <= LONGEST_VALUE)
    .map(({ name, value }) => `${name}=${value}`);
  const body = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  const target = redactSecrets(`${pathname}${search}${body}`, credentials);
  return `${request.method} ${target.length > LONGEST ? `${target.slice(0, LONGEST)}…` : target}`;
}

/** Where the fault was injected first: `GET /users?page=2 answered 500`. */
export function describeInjected(result: RunResult, recording: readonly Exchange[]): string | undefined {
  const injected = result.requests.find((request) => request.injected);
  if (injected === undefined) return undefined;
  const { status, delayMs = 0, cutAfter } = injected.answer;
  const request = describeRequest(injected, result);
  if (cutAfter === -1) return `${request} was cut off`;
  if (cutAfter !== undefined) return `${request} was cut off after ${count(cutAfter)} bytes`;
  if (delayMs > 0) return `${request} was answered after ${count(delayMs / 1000)} s`;
  const isRecorded = recording[injected.exchange ?? -1]?.response.status === status;
  return isRecorded ? `${request} was answered otherwise` : `${request} answered ${status}`;
}

/** Requests that aren't in the recording. */
export function unmatched(result: RunResult): readonly string[] {
  const unknown = result.requests.filter(({ exchange }) => exchange === undefined);
  return [...new Set(unknown.map((request) => describeRequest(request, result)))];
}

/** A run is endless if it sends more than `TIMES` times the number of recorded requests, plus `MORE`. */
const TIMES = 20;
const MORE = 100;

/** Cuts off the requests of an endless run. */
export function limited<Setup extends RunSetup>(setup: Setup): Setup {
  const { recording, injected } = setup;
  if (recording === undefined) return setup;
  const most = limitOf(setup);
  return {
    ...setup,
    injected: {
      exchanges: injected?.exchanges ?? recording.exchanges,
      answer(planned, request) {
        const answer = injected?.answer?.(planned, request) ?? planned;
        return request.number > most ? { ...answer, cutAfter: -1 } : answer;
      },
    },
  };
}

/** Describes a run that reached the limit. */
export function endlessOf(setup: RunSetup, { requests }: RunResult): string | undefined {
  if (setup.recording === undefined || requests.length <= limitOf(setup)) return undefined;
  return `does not end: sent ${count(limitOf(setup))} requests, but the recording has ${count(setup.recording.exchanges.length)}`;
}

function limitOf({ recording }: RunSetup): number {
  return TIMES * (recording?.exchanges.length ?? 0) + MORE;
}

const DEPTH = 5;

/** Lists where credentials of the vendor leaked: in errors, output or records. */
export function leaksOf(result: RunResult): readonly string[] {
  const { credentials, error, unhandled, output, effect } = result;
  if (credentials.length === 0) return [];
  const errors = [error, ...unhandled];
  const path = errors.map((one) => pathTo(one, credentials, "error", DEPTH)).find((one) => one !== undefined);
  const places = [
    [path ?? "the error", errors.map(textOf).join("\n")],
    ["what the run printed or logged", output.join("\n")],
    ...Object.entries(effect.snapshots).map(
      ([collection, rows]) => [`records of ${collection}`, JSON.stringify(rows)] as const,
    ),
  ] as const;
  return places
    .filter(([, text]) => credentials.some((credential) => text.includes(credential)))
    .map(([place]) => `a credential is in ${place}`);
}

/** The first property of an error that holds a credential, such as `error.config.headers.Authorization`. */
function pathTo(
  value: unknown,
  credentials: readonly string[],
  path: string,
  depth: number,
): string | undefined {
  if (typeof value === "string")
    return credentials.some((credential) => value.includes(credential)) ? path : undefined;
  if (!isObject(value) || depth === 0) return undefined;
  for (const name of Object.getOwnPropertyNames(value)) {
    const property = Object.getOwnPropertyDescriptor(value, name);
    const found = pathTo(property?.value, credentials, `${path}.${name}`, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Everything that a logger might print about an error. */
function textOf(error: unknown): string {
  if (error === undefined) return "";
  const shown = inspect(error, { depth: 9, showHidden: true, maxArrayLength: null, maxStringLength: null });
  return `${String(error)}\n${shown}\n${jsonOf(error)}`;
}

function jsonOf(error: unknown): string {
  try {
    return JSON.stringify(error) ?? "";
  } catch {
    return "";
  }
}
