#!/usr/bin/env node
import { Io } from "./io.js";
import { stopOnSignals } from "./signals.js";

const GRACE_MS = 2000;

const args = process.argv.slice(2);
const io = new Io(args.includes("--json"), stopOnSignals());

// The reader of the pipe is gone, or the disk is full: nobody would see the result.
process.stdout.once("error", (error) => {
  io.writeError(`saas-management: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
// There is nowhere to report that stderr cannot be written.
process.stderr.on("error", () => {});

main()
  .catch(async (error: unknown) => {
    const { report } = await import("./problem.js");
    process.exitCode = report(error, io);
  })
  .finally(endSoon);

async function main(): Promise<void> {
  const { runProgram } = await import("./program.js");
  await runProgram(args, io);
}

/** A connector may leave timers and connections open, which must not keep a scheduler waiting. */
function endSoon(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0) process.stdout.once("drain", () => process.exit());
    else process.exit();
  }, GRACE_MS).unref();
}
