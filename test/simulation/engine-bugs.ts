import type { Bug } from "./bug.js";

/** Bugs of the engine: the simulation in memory has to catch them. */
export const ENGINE_BUGS: readonly Bug[] = [
  {
    name: "a failed write does not poison the batch",
    file: "sync/batch/write-queue.ts",
    right: "return this.#failure !== undefined;",
    wrong: "return false;",
  },
  {
    name: "an open collection does not keep the batch from being completed",
    file: "sync/batch/write-queue.ts",
    right: "return !this.failed && this.#open.size === 0;",
    wrong: "return !this.failed;",
  },
  {
    name: "complete does not wait for queued writes",
    file: "sync/batch/lifecycle.ts",
    right: "      await this.#writes.settled();\n",
    wrong: "",
  },
  {
    name: "every refusal is retried",
    file: "sync/grpc/status.ts",
    right: "batchState: batchState(failed.metadata, place),",
    wrong: "batchState: batchState(failed.metadata, place), retryable: true,",
  },
  {
    name: "every window is sent twice",
    file: "sync/write/window-sender.ts",
    right: "const { accepted } = await transport.syncRecords(messages, call);",
    wrong:
      "await transport.syncRecords(messages, call); const { accepted } = await transport.syncRecords(messages, call);",
  },
  {
    name: "the record at which a message is cut is lost",
    file: "sync/write/record-sink.ts",
    right: "const full = builder.keep(index);",
    wrong: "const full = builder.keep(index); if (full !== undefined) builder.drop();",
  },
  {
    name: "streams of one batch do not wait for each other",
    file: "sync/batch/session.ts",
    right: "const turn = this.#wire.then(send);",
    wrong: "const turn = Promise.resolve().then(send);",
  },
  {
    name: "an empty source sends nothing",
    file: "sync/write/window-queue.ts",
    right: "return !this.#anythingSent && this.#window.length === 0;",
    wrong: "return false;",
  },
  {
    name: "invalid records are left out",
    file: "sync/write/record-sink.ts",
    right: "    this.throwIssues();\n    const empty",
    wrong: "    const empty",
  },
  {
    name: "fewer accepted records than sent are fine",
    file: "sync/write/window-sender.ts",
    right: "if (accepted !== undefined && accepted !== records) {",
    wrong: "if (accepted !== undefined && accepted > records) {",
  },
  {
    name: "a lost answer to complete is a success",
    file: "sync/batch/lifecycle.ts",
    right: "      throw outcomeUnknown(id, error);",
    wrong: "      return {};",
  },
  {
    name: "a refused complete is a success after a lost answer",
    file: "sync/batch/lifecycle.ts",
    right: 'if (answerWasLost && error instanceof SyncProtocolError && error.batchState === "completed")',
    wrong: "if (answerWasLost && error instanceof SyncProtocolError)",
  },
  {
    name: "abort tells the service nothing",
    file: "sync/batch/lifecycle.ts",
    right:
      '      await this.#session.call("AbortSyncBatch", clientClosed, (call) => transport.abortBatch(id, call));\n',
    wrong: "",
  },
  {
    name: "a batch that was started for nobody is not aborted",
    file: "sync/batch/start.ts",
    right: "(call) => this.#transport.abortBatch(batchId, call),",
    wrong: "(call) => Promise.resolve(call).then(() => void batchId),",
  },
  {
    name: "records of an unknown window are called accepted",
    file: "sync/write/window-sender.ts",
    right: 'if (mayBeDone || (refused && messages > 1)) return "unknown";',
    wrong: 'if (mayBeDone || (refused && messages > 1)) return "accepted";',
  },
  {
    name: "a write leaves its listener on the caller's signal",
    file: "sync/batch/write-queue.ts",
    right: "        unlink();\n",
    wrong: "        void unlink;\n",
  },
  {
    name: "an array that a writer got is read later",
    file: "sync/write/collection-writer.ts",
    right: "const own = Array.isArray(records) ? copyOf(records) : [records];",
    wrong: "const own = Array.isArray(records) ? records : [records]; void copyOf;",
  },
  {
    name: "an array that is refilled before its write has its turn is written",
    file: "sync/batch/write-queue.ts",
    right: "      requireUnchanged();\n",
    wrong: "      void requireUnchanged;\n",
  },
  {
    name: "a batch is completed beside a message that keeps its lease alive",
    file: "sync/batch/lifecycle.ts",
    right: "const counts = await this.#session.onWire(async () => {",
    wrong: "const counts = await Promise.resolve().then(async () => {",
  },
  {
    name: "a lease is not kept alive any more once that has failed",
    file: "sync/batch/keep-alive.ts",
    right: "next(PAUSE_MS);",
    wrong: "void PAUSE_MS;",
  },
  {
    name: "a message may be as large as the limit",
    file: "sync/write/record-sink.ts",
    right: "bytes > maxMessageBytes)",
    wrong: "bytes > maxMessageBytes + 1)",
  },
  {
    name: "an error shows the record",
    file: "sync/write/record-sink.ts",
    right: "this.#invalid.add(issues);",
    wrong:
      "this.#invalid.add(issues.map((issue) => ({ ...issue, expected: issue.expected + Buffer.from(this.#builder.buffer) })));",
  },
];
