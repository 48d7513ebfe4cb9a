/** `npm run app` starts the page with a reference server and its demo company. The password is "demo". */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(import.meta.resolve("@saas-management/sdk/package.json")).replace(
  /package\.json$/,
  "dist/cli/main.js",
);
const service = spawn(process.execPath, [program, "serve", "--demo", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
process.on("exit", () => service.kill());
const [line] = await once(service.stdout, "data");
const { baseUrl, apiKey } = JSON.parse(String(line));
process.env["SAAS_MANAGEMENT_BASE_URL"] = baseUrl;
process.env["SAAS_MANAGEMENT_API_KEY"] = apiKey;
process.env["APP_PASSWORD"] ??= "demo";
await import("./main.ts");
