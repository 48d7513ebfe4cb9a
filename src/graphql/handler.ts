import {
  ClosedError,
  ConfigurationError,
  type GraphQLResponseError,
  InvalidInputError,
  RateLimitError,
  SaasManagementError,
  TimeoutError,
  TransportError,
} from "../core/errors/index.js";
import { type OptionTable, POSITIVE, readOptions, withMethods } from "../core/validate.js";
import type { GraphQLClient } from "./client.js";
import { METHODS } from "./generated/operations.js";
import type { Document } from "./request/document.js";
import { isPlainCode } from "./request/error-entries.js";
import { isJson, readText } from "./request/response.js";
import { isJsonObject, type JsonObject } from "./request/variables.js";
import { requireConditions } from "./vendors.js";

const HANDLER_OPTIONS = {
  client: { ...withMethods("rawRequest"), required: true },
  allow: { expected: "a list of documents", fits: Array.isArray, required: true },
  timeoutMs: POSITIVE,
  maxRequestBytes: POSITIVE,
} satisfies OptionTable<Parameters<typeof createGraphQLHandler>[0]>;

const NOT_ALLOWED = "DOCUMENT_NOT_ALLOWED";

/** Maps a document's key to the name of its method; the name is empty for a document of the caller's own. */
type Allowed = ReadonlyMap<string, string>;

/**
 * Creates a handler that forwards a page's documents to the service, with a key that the page never sees. In the page,
 * `new GraphQLClient({ baseUrl: "/api", authorization: "none" })` works if the handler answers `/api/graphql`.
 *
 * - The handler doesn't know who is calling: check the session before you call the handler.
 * - The handler doesn't retry, because the client in the page does.
 * - The page never gets the service's keys, headers or messages. Errors keep their paths and codes. If the service
 *   refuses the key, the page gets `UPSTREAM_REFUSED` (HTTP 500), because that isn't the page's fault.
 *
 * @returns a function that answers every request; it accepts `POST` with JSON
 * @throws {ConfigurationError} an option is invalid; for an invalid document, the returned function rejects with this
 *   error
 */
export function createGraphQLHandler(options: {
  /** Sends the requests with the client's own key; its `onEvent` and `logger` report what failed and why. */
  readonly client: GraphQLClient;
  /**
   * What a page may send: documents, and names of `GraphQLClient` methods. The page chooses the variables, but
   * `changeVendorsState` needs a `where` with conditions.
   */
  readonly allow: readonly (
    | "applications"
    | "licenses"
    | "licensePlans"
    | "createProcurementCase"
    | "updateProcurementCase"
    | "changeVendorsState"
    | Document<unknown, never>
  )[];
  /** Time limit for one request, from its first byte to the response, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a request, in bytes. @default 102_400 (100 KiB) */
  readonly maxRequestBytes?: number | undefined;
}): (request: Request) => Promise<Response> {
  const given = readOptions("createGraphQLHandler", options, HANDLER_OPTIONS, ConfigurationError);
  const { client, allow, timeoutMs = 30_000, maxRequestBytes = 100 * 1024 } = given;
  const documents = [...allow];
  let allowed: Allowed | undefined;
  return async (request) => {
    // Like the client, the handler loads graphql only on the first request.
    const { keyedDocument, readDocument } = await import("./request/attempt.js");
    allowed ??= new Map(
      documents.map((entry, index) => {
        const [method, own] = Object.entries(METHODS).find(([name]) => name === entry) ?? ["", entry];
        const { kind, text } = readDocument(own);
        const keyed = kind && keyedDocument(text);
        if (!keyed) throw new ConfigurationError(`allow[${index}] is not a valid document.`);
        return [keyed.key, method];
      }),
    );
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const { query, variables } = await readBody(request, maxRequestBytes, signal);
      const asked = keyedDocument(query);
      const method = asked && allowed.get(asked.key);
      if (asked === undefined || method === undefined) throw refuse(400, NOT_ALLOWED);
      if (method === "changeVendorsState") requireConditions(variables["where"]);
      const answer = await client.rawRequest(asked.text, variables, { signal, timeoutMs, retry: false });
      const { data, status } = answer;
      const errors = answer.errors.map(withoutMessage);
      return respond(status, errors.length === 0 ? { data } : { data, errors });
    } catch (error) {
      return error instanceof Response && !signal.aborted ? error : refusalOf(error, signal);
    }
  };
}

/** The response, without data, to a request that was refused or failed. */
function refuse(status: number, code: string, headers?: Readonly<Record<string, string>>): Response {
  const message =
    code === NOT_ALLOWED
      ? "This document isn't allowed: add it to `allow` and restart the server."
      : "The request failed.";
  return respond(status, { errors: [{ message, extensions: { code } }] }, headers);
}

/** Accepts only JSON, because a form on another site can send other types without a CORS check. */
async function readBody(
  request: Request,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly query: string; readonly variables: JsonObject }> {
  if (request.method !== "POST") throw refuse(405, "METHOD_NOT_ALLOWED", { allow: "POST" });
  if (!isJson(request.headers)) throw refuse(415, "NOT_JSON");
  const invalid = () => refuse(400, "INVALID_REQUEST");
  const failures = {
    tooLarge: () => refuse(413, "REQUEST_TOO_LARGE"),
    network: (error: unknown) => (error instanceof Response ? error : invalid()),
    notGraphQL: invalid,
  };
  const { body, headers } = request;
  const text = await readText(new Response(body, { headers }), { maxBytes, signal, failures });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid();
  }
  const { query, variables } = isJsonObject(parsed) ? parsed : {};
  if (typeof query !== "string" || !isJsonObject(variables ?? {})) throw invalid();
  return { query, variables: isJsonObject(variables) ? variables : {} };
}

/** Turns the client's error into a response. Temporary failures get a status that the page's client retries. */
function refusalOf(error: unknown, signal: AbortSignal): Response {
  if (signal.aborted || error instanceof TimeoutError) return refuse(504, "TIMEOUT");
  if (error instanceof RateLimitError) {
    const { code, retryAfterMs } = error;
    const headers = retryAfterMs === undefined ? {} : { "retry-after": `${Math.ceil(retryAfterMs / 1000)}` };
    return refuse(429, code, headers);
  }
  if (error instanceof TransportError || error instanceof ClosedError) return refuse(502, error.code);
  if (error instanceof InvalidInputError) return refuse(400, "INVALID_REQUEST");
  return refuse(500, error instanceof SaasManagementError ? "UPSTREAM_REFUSED" : "INTERNAL");
}

function withoutMessage({ extensions, path }: GraphQLResponseError["errors"][number]): object {
  const { code = "", maxAllowedItems: limit } = extensions ?? {};
  const known = {
    ...(isPlainCode(code) && { code }),
    ...(typeof limit === "number" && { maxAllowedItems: limit }),
  };
  return { message: "The service answered with an error.", path, extensions: known };
}

function respond(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}
