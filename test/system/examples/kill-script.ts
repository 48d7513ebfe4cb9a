/**
 * Kills its process at the moment in KILL_AT, such as "before rename 7": the 7th call of that function. The functions
 * are those that the export calls. `half appendFile 7` kills the process when half of the 7th call's text is written.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";

type Call = (...args: never[]) => Promise<unknown>;

const [when = "", name = "", count = ""] = (process.env["KILL_AT"] ?? "").split(" ");
let calls = 0;

/** Kills the process, and waits so that nothing more happens before the signal arrives. */
const die = () => new Promise(() => process.kill(process.pid, "SIGKILL"));

function killIn(owner: object): void {
  const call: Call = Reflect.get(owner, name);
  Reflect.set(owner, name, async function (this: unknown, ...args: unknown[]) {
    calls += 1;
    const isLast = calls === Number(count);
    if (isLast && when === "half") halve(args);
    if (isLast && when === "before") await die();
    const result: unknown = await Reflect.apply(call, this, args);
    if (isLast) await die();
    return result;
  });
}

if (name !== "") {
  const handle = await fs.promises.open(fileURLToPath(import.meta.url));
  await handle.close();
  for (const owner of [Object.getPrototypeOf(handle), fs.promises, globalThis])
    if (name in owner) killIn(owner);
  syncBuiltinESMExports();
}

function halve(args: unknown[]): void {
  const last = args.findLastIndex((value) => typeof value === "string");
  const data = String(args[last]);
  args[last] = data.slice(0, data.length / 2);
}
