/**
 * Plants bugs in a copy of the engine, one at a time, and shows that the simulation catches each.
 *
 *     npm run check:simulation -- [programs] [part of a bug's name]
 */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A bug: what is replaced in a file of `src/sync`, where it stands exactly once. */
interface Bug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

const BUGS: readonly Bug[] = [
  {
    name: "a failed write does not poison the batch",
    file: "batch-writes.ts",
    right: "return this.#failure !== undefined;",
    wrong: "return false;",
  },
  {
    name: "an open collection does not keep the batch from being completed",
    file: "batch-writes.ts",
    right: "return !this.failed && this.#open.size === 0;",
    wrong: "return !this.failed;",
  },
  {
    name: "complete does not wait for queued writes",
    file: "batch.ts",
    right: "      await this.#writes.settled();\n",
    wrong: "",
  },
  {
    name: "every refusal is retried",
    file: "status.ts",
    right: "batchState: batchState(failed.metadata, place.credential),",
    wrong: "batchState: batchState(failed.metadata, place.credential), retryable: true,",
  },
  {
    name: "every window is sent twice",
    file: "window-sender.ts",
    right: "const { accepted } = await transport.syncRecords(messages, call);",
    wrong:
      "await transport.syncRecords(messages, call); const { accepted } = await transport.syncRecords(messages, call);",
  },
  {
    name: "the record at which a message is cut is lost",
    file: "record-sink.ts",
    right: "return this.#builder.keep(digest);",
    wrong:
      "const cut = this.#builder.keep(digest); if (cut !== undefined) { this.#builder.drop(); } return cut;",
  },
  {
    name: "streams of one batch do not wait for each other",
    file: "session.ts",
    right: "const turn = this.#wire.then(send);",
    wrong: "const turn = Promise.resolve().then(send);",
  },
  {
    name: "an empty source sends nothing",
    file: "window-queue.ts",
    right: "return !this.#anythingSent && this.#window.length === 0;",
    wrong: "return false;",
  },
  {
    name: "invalid records are left out",
    file: "record-sink.ts",
    right: "    this.throwIssues();\n    const empty",
    wrong: "    const empty",
  },
  {
    name: "fewer accepted records than sent are fine",
    file: "window-sender.ts",
    right: "if (accepted !== undefined && accepted !== records) {",
    wrong: "if (accepted !== undefined && accepted > records) {",
  },
  {
    name: "a lost answer to complete is a success",
    file: "completion.ts",
    right: "    throw new BatchOutcomeUnknownError(",
    wrong: "    if (attempts.mayBeDone) return NO_COUNTS;\n    throw new BatchOutcomeUnknownError(",
  },
  {
    name: "a refused complete is a success after a lost answer",
    file: "completion.ts",
    right: 'if (answerWasLost && error instanceof SyncProtocolError && error.batchState === "completed")',
    wrong: "if (answerWasLost && error instanceof SyncProtocolError)",
  },
  {
    name: "abort tells the service nothing",
    file: "batch.ts",
    right:
      '      await this.#session.call("AbortSyncBatch", undefined, (call) => this.#session.abort(call));\n',
    wrong: "",
  },
  {
    name: "a batch that was started for nobody is not aborted",
    file: "start.ts",
    right: "        this.#transport.abortBatch(batchId, call),\n",
    wrong: "        Promise.resolve(call).then(() => void batchId),\n",
  },
  {
    name: "a restart sends accepted events again",
    file: "accepted-events.ts",
    right: "    if (left === 0) return false;",
    wrong: "    if (left >= 0) return false;",
  },
  {
    name: "records of an unknown window are called accepted",
    file: "window-sender.ts",
    right: 'if (mayBeDone || (refused && messages > 1)) return "unknown";',
    wrong: 'if (mayBeDone || (refused && messages > 1)) return "accepted";',
  },
  {
    name: "a write leaves its listener on the caller's signal",
    file: "batch-writes.ts",
    right: "      } finally {\n        unlink();\n      }\n",
    wrong: "      } finally {\n        void unlink;\n      }\n",
  },
  {
    name: "an error shows the record",
    file: "record-sink.ts",
    right: "this.#invalid.add(located);",
    wrong:
      "this.#invalid.add(located.map((issue) => ({ ...issue, expected: issue.expected + Buffer.from(this.#builder.buffer) })));",
  },
];

const root = fileURLToPath(new URL("../..", import.meta.url));
const copy = join(root, "build/planted");
const programs = process.argv[2] ?? "3000";
const wanted = process.argv[3] ?? "";

let survivors = 0;
for (const bug of BUGS.filter(({ name }) => name.includes(wanted))) {
  rmSync(copy, { recursive: true, force: true });
  for (const part of ["src", "test/simulation", "tsconfig.json", "tsconfig.dev.json", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  plant(bug);
  const soak = ["--tsconfig", "tsconfig.dev.json", "test/simulation/soak.ts", programs, "1"];
  const { status } = spawnSync(join(root, "node_modules/.bin/tsx"), soak, { cwd: copy, stdio: "ignore" });
  if (status === 0) survivors += 1;
  console.log(`${status === 0 ? "SURVIVED" : "caught  "}  ${bug.name}`);
}
rmSync(copy, { recursive: true, force: true });
process.exitCode = survivors === 0 ? 0 : 1;

function plant({ name, file, right, wrong }: Bug): void {
  const path = join(copy, "src/sync", file);
  const parts = readFileSync(path, "utf8").split(right);
  if (parts.length !== 2) throw new Error(`"${name}" is out of date: ${file} has changed.`);
  writeFileSync(path, parts.join(wrong));
}
