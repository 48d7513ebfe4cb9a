import { SaasManagementError } from "@saas-management/sdk/sync";

/** What became of a call: "done", or the code of its error. */
export type Outcome = string;

/** @throws whatever it failed with, where that is no error of the SDK with a code */
export function outcomeOf(result: PromiseSettledResult<unknown>): Outcome {
  if (result.status === "fulfilled") return "done";
  const { reason } = result;
  if (reason instanceof SaasManagementError && reason.code.length > 0) return reason.code;
  throw reason;
}
