import type { z } from "zod";
import type { InputIssue } from "../../core/errors/index.js";

/** Said of a record whose reading throws, such as one with a getter that fails. */
export const UNREADABLE = "a plain object that can be read: reading it threw an exception";

/** How the checks' own texts begin. */
const OWN = "expected ";

/** Which record the issues are about. */
export type RecordPlace = Pick<InputIssue, "collection" | "index" | "id">;

/** Turns zod's issues into ours. Texts are never echoed: zod's own messages are replaced. */
export function toIssues(issues: readonly z.core.$ZodIssue[], place: RecordPlace): InputIssue[] {
  // A field under a wrong name first: that another one is missing often follows from it.
  const ordered = [...issues].sort((a, b) => Number(isUnknownField(b)) - Number(isUnknownField(a)));
  return ordered.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== "unrecognized_keys")
      return [{ ...place, path: path.join("."), expected: expectation(issue) }];
    return issue.keys.map((key) => ({
      ...place,
      path: [...path, shown(key)].join("."),
      expected: hint(key) ?? expectation(issue),
    }));
  });
}

function isUnknownField(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function expectation(issue: z.core.$ZodIssue): string {
  // Only the checks' own texts begin so; zod's would be wordings that we do not control.
  if (issue.message.startsWith(OWN)) return issue.message.slice(OWN.length);
  return "a valid value";
}

/** The wire's spelling is the likeliest slip: `source_id` for `sourceId`. */
function hint(key: string): string | undefined {
  const camelCase = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (camelCase === key) return undefined;
  return `no such field: field names are in camelCase (${shown(camelCase)})`;
}

/** A key as an error may show it. */
function shown(key: string): string {
  return /^\w{1,60}$/.test(key) ? key : "(a key that is not a field name)";
}
