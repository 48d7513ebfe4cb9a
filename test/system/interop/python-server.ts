import { z } from "zod";
import { type Descriptors, PythonProgram } from "./python-program.js";

const received = z.object({
  received: z.array(
    z.union([
      z.object({ call: z.string(), metadata: z.record(z.string(), z.string()) }),
      z.object({ wireBytes: z.number(), message: z.record(z.string(), z.unknown()) }),
    ]),
  ),
});

/** A message of SyncRecords as the server received it. */
export interface ReceivedMessage {
  readonly wireBytes: number;
  readonly batchId: string;
  /** Normally one. */
  readonly collections: readonly string[];
  readonly records: readonly unknown[];
}

export interface ScriptedRefusal {
  readonly operation: string;
  readonly code: string;
  readonly details?: string;
  /** Whether the call takes effect and only its answer is lost. */
  readonly applied?: boolean;
}

/** A Sync API on python3-grpcio with `installation-1` and the key `key-1`. */
export class PythonServer {
  readonly #program: PythonProgram;
  readonly endpoint: string;

  private constructor(program: PythonProgram, endpoint: string) {
    this.#program = program;
    this.endpoint = endpoint;
  }

  static async start({ path }: Descriptors, args: readonly string[] = []): Promise<PythonServer> {
    const program = new PythonProgram("sync_server.py", ["--descriptors", path, ...args]);
    const { endpoint } = z.object({ endpoint: z.string() }).parse(await program.ready);
    return new PythonServer(program, endpoint);
  }

  async reset(): Promise<void> {
    await this.#program.ask({ ask: "reset" });
  }

  /** Refuses the next call of an operation. */
  async refuse({ details = "", applied = false, ...refusal }: ScriptedRefusal): Promise<void> {
    await this.#program.ask({ ask: "refuse", details, applied, ...refusal });
  }

  /** Whether answers have counts. */
  async count(counts: boolean): Promise<void> {
    await this.#program.ask({ ask: "counts", counts });
  }

  /** The calls and messages since the last call of `received`. */
  async received(): Promise<{
    readonly calls: readonly string[];
    readonly metadata: readonly Readonly<Record<string, string>>[];
    readonly messages: readonly ReceivedMessage[];
  }> {
    const all = received.parse(await this.#program.ask({ ask: "received" })).received;
    const calls = all.flatMap((one) => ("call" in one ? [one] : []));
    const messages = all.flatMap((one) => ("message" in one ? [one] : []));
    return {
      calls: calls.map(({ call }) => call),
      metadata: calls.map(({ metadata }) => metadata),
      messages: messages.map(({ wireBytes, message: { batchId, ...collections } }) => ({
        wireBytes,
        batchId: String(batchId),
        collections: Object.keys(collections),
        records: Object.values(collections).flatMap(
          (list) => z.object({ records: z.array(z.unknown()).default([]) }).parse(list).records,
        ),
      })),
    };
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}
