/** A mutation that succeeds was done once; one that fails was done at most once. */
import { MutationError, SaasManagementError } from "@saas-management/sdk/graphql";
import type { Call, SentRequest } from "../journal.js";
import type { Simulated } from "../simulate.js";

export function brokenMutationRules({ journal, service }: Simulated): string[] {
  return journal.calls.flatMap((call) => {
    if (call.kind === "query" && call.value !== undefined) return foreignAnswer(call);
    if (call.kind !== "mutation") return [];
    const effects = service.effects.get(call.id) ?? 0;
    const sent = journal.requests.filter((request) => request.call === call);
    return [
      ...brokenCount(call, effects),
      ...sentAgain(call, sent),
      ...wrongAdvice(call),
      ...(isSuccess(call) ? foreignAnswer(call) : []),
    ];
  });
}

function brokenCount(call: Call, effects: number): string[] {
  const { id, repeatable } = call;
  if (effects > 1 && !repeatable) return [`mutation once: ${id} was done ${effects} times`];
  if (isSuccess(call) && effects === 0) return [`mutation success: ${id} succeeded but was not done`];
  const refused = isRefusal(call.value) || call.failures.some(({ error }) => error instanceof MutationError);
  if (refused && effects > 0 && !repeatable) return [`mutation refusal: ${id} was refused but done`];
  return [];
}

/** Only a refused key makes it safe to send a mutation again. */
function sentAgain({ id, repeatable }: Call, sent: readonly SentRequest[]): string[] {
  const unsafe = sent.slice(0, -1).filter(({ answered }) => answered?.verdict.outcome !== "unauthorized");
  return repeatable || unsafe.length === 0 ? [] : [`mutation once: ${id} was sent again`];
}

function wrongAdvice({ id, repeatable, failures }: Call): string[] {
  const advised = failures.some(({ error }) => error instanceof SaasManagementError && error.retryable);
  return advised && !repeatable ? [`mutation advice: an error of ${id} says that it may be repeated`] : [];
}

function isSuccess({ value }: Call): boolean {
  return value !== undefined && !isRefusal(value);
}

function isRefusal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "ok" in value && value.ok === false;
}

/** Each answer contains the id or the number of its call. */
function foreignAnswer({ id, kind, value }: Call): string[] {
  // Pages, counts and empty answers contain neither.
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (kind === "query" && (!isObject || "nothing" in value)) return [];
  const text = JSON.stringify(value);
  const own = `"updatedCount":${id.replaceAll(/\D/g, "")}}`;
  return text.includes(id) || text.includes(own) ? [] : [`answers: ${id} was given ${text}`];
}
