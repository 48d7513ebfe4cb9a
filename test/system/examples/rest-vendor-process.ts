import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("./rest-vendor-script.ts", import.meta.url));

export interface VendorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The vendor in a process of its own. */
export async function startRestVendor(apiKey: string) {
  const child = fork(SCRIPT, { execArgv: ["--import", "tsx"], env: { ...process.env, VENDOR_KEY: apiKey } });
  const [baseUrl] = await once(child, "message");
  return {
    baseUrl: String(baseUrl),
    answer(...answers: readonly VendorAnswer[]) {
      for (const each of answers) child.send(each);
    },
    async close() {
      const closed = once(child, "exit");
      child.disconnect();
      await closed;
    },
  };
}
