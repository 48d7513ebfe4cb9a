import type { ChildProcess } from "node:child_process";
import { ConfigurationError } from "../../../core/errors/index.js";
import { redactSecrets } from "../../../core/redact.js";
import type { ChildAnswer, ChildOrder } from "../child/processes.js";
import { HELD_MS } from "../faults/service/signal-faults.js";
import type { Scene } from "./scene.js";
import type { CaseSetup, ChildSetup, NightResult } from "./setup.js";

/** How long a process may take, in real milliseconds. */
const LONGEST_MS = 30_000;
const LOOK_MS = 2;

/**
 * One run of a scene's connector in a process of its own, which gets a signal.
 * @throws {ConfigurationError} the module cannot be loaded, or exports no connector
 */
export async function playInChild(
  scene: Scene,
  { module, fault }: ChildSetup,
  setup: Pick<CaseSetup, "recording" | "guard"> & { readonly firstRun: boolean; readonly directory: string },
): Promise<NightResult> {
  const { children, clock, server, vendor } = scene.parts;
  const { installationId, apiKey } = scene.workspace;
  const { recording, directory, guard, firstRun } = setup;
  const run = recording && vendor.play({ exchanges: recording.exchanges, clock });
  const hold = server.faults.add(fault.hold);
  const child = new Child(children.take(), {
    module,
    syncUrl: server.syncUrl,
    apiKey,
    installationId,
    directory,
    guard,
    firstRun,
    now: clock.now(),
    startedAt: recording === undefined ? clock.now() : Date.parse(recording.startedAt),
    route: run?.route,
  });
  try {
    await child.until(() => hold.fired > 0);
    if (hold.fired > 0) child.process.kill(fault.signal);
    // A killed process is gone before the call goes on; an interrupted one may still wait for it.
    if (fault.signal === "SIGKILL") await child.until(() => false);
    clock.advance(HELD_MS);
    await child.until(() => false);
  } finally {
    child.process.kill("SIGKILL");
    run?.end();
    server.faults.clear();
  }
  const { answer, output } = child;
  if (answer?.outcome === "not-loaded" || (answer === undefined && hold.fired === 0)) {
    const why = answer?.message ?? redactSecrets(`${child.end} ${output.join("")}`, run?.credentials ?? []);
    throw new ConfigurationError(
      `module: a process could not run the connector of ${module}. Node.js must be able to load it: give compiled code, or start the tests with a loader such as --import=tsx. ${why}`,
    );
  }
  return {
    outcome: answer?.outcome ?? "refused",
    error: answer?.outcome === "completed" ? undefined : new Error(answer?.message ?? child.end),
    receipt: undefined,
    effect: server.inspect(installationId),
    output,
    credentials: run?.credentials ?? [],
    requests: run?.requests ?? [],
    fired: hold.fired,
    unhandled: [],
    seen: new Set(),
    records: new Map(),
  };
}

class Child {
  readonly output: string[] = [];
  answer: ChildAnswer | undefined;
  readonly #begun = performance.now();
  #end: string | undefined;

  constructor(
    readonly process: ChildProcess,
    order: ChildOrder,
  ) {
    for (const stream of [process.stdout, process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => this.output.push(text));
    process.once("message", (answer: ChildAnswer) => {
      this.answer = answer;
    });
    process.once("close", (code, signal) => {
      this.#end =
        signal === null ? `The process ended with exit code ${code}.` : `${signal} ended the process.`;
    });
    process.send(order);
  }

  /** How it has ended. */
  get end(): string {
    return this.#end ?? "The process did not end.";
  }

  /** Waits until something is so, or the process has ended. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition() && this.#end === undefined && performance.now() - this.#begun < LONGEST_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
