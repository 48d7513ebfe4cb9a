/** The package is installed twice, as where an app and one of its libraries need it in different versions. */
import { cpSync } from "node:fs";
import { AuthenticationError, SaasManagementError, TimeoutError } from "@saas-management/sdk";

const installed = new URL("node_modules/@saas-management/sdk", import.meta.url);
cpSync(installed, new URL("second", import.meta.url), { recursive: true, dereference: true });
const second = await import("./second/dist/index.js");
const error = new second.TimeoutError("late", { timeoutMs: 5 });
console.log(
  JSON.stringify({
    sameClass: second.TimeoutError === TimeoutError,
    instanceOf: [TimeoutError, SaasManagementError, AuthenticationError].map((it) => error instanceof it),
  }),
);
