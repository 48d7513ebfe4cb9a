#!/usr/bin/env node
import { abortAtSignals } from "../runs/signals.js";
import { Io } from "./io.js";

const GRACE_MS = 2000;
// grpc-js, which reads this when it is loaded, would otherwise print to stderr, and not in JSON.
process.env["GRPC_VERBOSITY"] ??= "NONE";

const args = process.argv.slice(2);
const signalled = new AbortController();
abortAtSignals(signalled, "command");
const io = new Io(args, signalled.signal);

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader such as `head` may stop early. But a connector that can't print hasn't done its work.
  if (error.code === "EPIPE" && io.hasWritten) {
    if (!io.finishes) process.exit();
    return;
  }
  io.warn(`can't write the output: ${error.message}`);
  process.exit(1);
});
// If stderr can't be written, there is nowhere to report it.
process.stderr.on("error", () => {});

// Reports errors that a connector leaves unhandled outside its run.
process.on("uncaughtException", (error) => void fail(error).finally(() => process.exit()));

import("./program.js")
  .then(({ runProgram }) => runProgram(args, io))
  .catch(fail)
  .finally(endSoon);

async function fail(error: unknown): Promise<void> {
  process.exitCode = 1; // in case the report fails
  const { report } = await import("./problem.js");
  process.exitCode = report(error, io);
}

/** A connector may leave timers and connections open, which must not keep a scheduler waiting. */
function endSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0) process.stdout.once("drain", () => process.exit());
    else process.exit();
  }, GRACE_MS).unref();
}
