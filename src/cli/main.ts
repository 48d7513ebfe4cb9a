#!/usr/bin/env node
import { Io } from "./io.js";

const GRACE_MS = 2000;
// grpc-js would otherwise print to stderr, and not in JSON. It reads this when it is loaded.
process.env["GRPC_VERBOSITY"] ??= "NONE";

const args = process.argv.slice(2);
const io = new Io(args, stopOnSignals());

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // `head` has seen enough of a result. A connector that can't print hasn't done its work.
  if (error.code === "EPIPE" && io.hasWritten) {
    if (!io.finishes) process.exit();
    return;
  }
  io.warn(`the output cannot be written: ${error.message}`);
  process.exit(1);
});
// If stderr can't be written, there is nowhere to report it.
process.stderr.on("error", () => {});

// Errors that a connector leaves unhandled outside its run.
process.on("uncaughtException", (error) => void fail(error).finally(() => process.exit()));

import("./program.js")
  .then(({ runProgram }) => runProgram(args, io))
  .catch(fail)
  .finally(endSoon);

async function fail(error: unknown): Promise<void> {
  process.exitCode = 1; // also if the report fails
  const { report } = await import("./problem.js");
  process.exitCode = report(error, io);
}

/** @returns a signal that fires at the first SIGINT or SIGTERM; the second one ends the process at once */
function stopOnSignals(): AbortSignal {
  const controller = new AbortController();
  let count = 0;
  const stop = (name: "SIGINT" | "SIGTERM") => {
    count += 1;
    if (count > 1) process.exit(name === "SIGINT" ? 130 : 143);
    void import("../core/errors/index.js").then(({ InterruptedError }) => {
      controller.abort(new InterruptedError(`The command was ended by ${name}.`, { signalName: name }));
    });
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return controller.signal;
}

/** A connector may leave timers and connections open, which must not keep a scheduler waiting. */
function endSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0) process.stdout.once("drain", () => process.exit());
    else process.exit();
  }, GRACE_MS).unref();
}
