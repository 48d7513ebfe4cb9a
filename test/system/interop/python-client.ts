import type { Collection, RecordOf } from "@saas-management/sdk";
import { z } from "zod";
import { recordType } from "../../support/contract.js";
import { toProtobufJson } from "../../support/wire-form.js";
import { type Descriptors, PythonProgram } from "./python-program.js";

const outcome = z.object({
  code: z.string(),
  details: z.string(),
  trailers: z.record(z.string(), z.string()),
  answer: z.record(z.string(), z.unknown()).nullable(),
});

/** The status, trailers and answer of a call as python3-grpcio saw them. */
export type Outcome = z.infer<typeof outcome>;

/** A request as protobuf's JSON. */
type Request = Readonly<Record<string, unknown>>;

interface CallSettings {
  readonly gzip?: boolean;
}

/** A client of the Sync API on python3-grpcio. */
export class PythonClient {
  readonly #program: PythonProgram;
  readonly #authorization: string;

  constructor({ path }: Descriptors, target: string, apiKey: string, args: readonly string[] = []) {
    this.#program = new PythonProgram("sync_client.py", ["--descriptors", path, "--target", target, ...args]);
    this.#authorization = `ApiKey ${apiKey}`;
  }

  /** Calls a method with one request or a stream of them. */
  async call(
    method: string,
    requests: readonly Request[],
    { gzip = false }: CallSettings = {},
  ): Promise<Outcome> {
    const metadata = { authorization: this.#authorization };
    return outcome.parse(await this.#program.ask({ call: method, requests, metadata, gzip }));
  }

  start(installationId: string): Promise<Outcome> {
    return this.call("StartSyncBatch", [{ installationId }]);
  }

  /** Sends the requests on one stream. */
  sync(requests: readonly Request[], settings?: CallSettings): Promise<Outcome> {
    return this.call("SyncRecords", requests, settings);
  }

  complete(batchId: string, settings?: CallSettings): Promise<Outcome> {
    return this.call("CompleteSyncBatch", [{ batchId }], settings);
  }

  abort(batchId: string): Promise<Outcome> {
    return this.call("AbortSyncBatch", [{ batchId }]);
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}

/** A request with records of a collection. */
export function recordsRequest<C extends Collection>(
  batchId: string,
  collection: C,
  records: readonly RecordOf<C>[],
): Request {
  const type = recordType(collection);
  return { batchId, [collection]: { records: records.map((record) => toProtobufJson(type, record)) } };
}
