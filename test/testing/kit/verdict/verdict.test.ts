import { RunHeldError } from "@saas-management/sdk";
import { expect, test } from "vitest";
import { type Judged, judge } from "../../../../src/testing/kit/verdict/verdict.js";
import { holding } from "../inspections.js";

const accounts = [
  ["a1", { id: "a1", name: "Ann", email: "ann@example.com" }],
  ["a2", { id: "a2", name: "Bob", email: "bob@example.com" }],
  ["a3", { id: "a3", name: "Cid", email: "cid@example.com" }],
  ["old", { id: "old", name: "Old" }, "removed"],
] as const;
const [a1, a2, a3, old] = accounts;
const usage = [["u1", { id: "u1", sourceActorId: "a1", lastActivity: "2026-01-05T00:00:00.000Z" }]] as const;
const seen = ["", { sourceActorId: "a1", externalProductName: "Figma" }] as const;
const clean = holding({ accounts, usage, externallyDiscoveredUsage: [seen] });
const expected = { effect: clean, nextRun: clean, volatile: new Set<string>() };
const COMPLETED = {
  end: "completed",
  error: undefined,
  effect: clean,
  hasSent: true,
  injected: "GET /users?page=2 answered 500",
  leaks: [],
} satisfies Judged;

const completed = (effect: Judged["effect"], more: Partial<Judged> = {}) =>
  judge({ ...COMPLETED, effect, ...more }, expected);
const ended = (more: Partial<Judged>) =>
  judge({ ...COMPLETED, end: "refused", hasSent: false, error: new Error("page 2: 500"), ...more }, expected);

test.each([
  [
    "a record that is marked as removed",
    { accounts: [a1, [...a2, "removed"], a3, old] as const },
    'removed 1 of 3 accounts ("a2")',
  ],
  ["a record that was not sent", { accounts: [a1, a2, old] as const }, 'lost 1 of 3 accounts ("a3")'],
  [
    "a value that is an empty string",
    { accounts: [["a1", { ...a1[1], email: "" }], a2, a3, old] as const },
    'emptied 1 of 3 accounts: email ("a1")',
  ],
  [
    "another value",
    { accounts: [["a1", { ...a1[1], name: "Eve" }], a2, a3, old] as const },
    'changed 1 of 3 accounts: name ("a1")',
  ],
  [
    "a record of the same contents under another id",
    { accounts: [...accounts, ["A1", { ...a1[1], id: "A1" }]] as const },
    'doubled 1 accounts ("A1")',
  ],
  [
    "a record that the clean run does not know",
    { accounts: [...accounts, ["z", { id: "z", name: "Zoe" }]] as const },
    'added 1 accounts ("z")',
  ],
  [
    "a record that the clean run removes",
    { accounts: [a1, a2, a3, ["old", old[1]]] as const },
    'kept 1 accounts ("old")',
  ],
  ["an event too few", { accounts, usage: [] }, 'lost 1 of 1 usage ("u1")'],
  [
    "an event without an id that is there twice",
    { accounts, externallyDiscoveredUsage: [seen, seen] },
    "doubled 1 externallyDiscoveredUsage",
  ],
])("finds %s", (_, rows, cause) => {
  const effect = holding({ usage, externallyDiscoveredUsage: [seen], ...rows });
  expect(completed(effect)).toEqual({
    verdict: "WRONG",
    cause: `${cause}; cause: GET /users?page=2 answered 500`,
  });
});

test("shows no record contents, and few ids", () => {
  const many = Array.from(
    { length: 9 },
    (_, i) => [`id-${i}`, { id: `id-${i}`, name: `Secret name ${i}` }] as const,
  );
  const { cause } = judge(
    { ...COMPLETED, effect: holding({}), injected: undefined },
    { ...expected, effect: holding({ accounts: many }) },
  );
  expect(cause).toBe('lost 9 of 9 accounts ("id-0", "id-1", "id-2" and 6 more)');
});

test("excuses only what no connector can see", () => {
  const effect = holding({
    accounts: [["a1", { ...a1[1], name: "Eve" }], a2, old],
    usage,
    externallyDiscoveredUsage: [seen],
  });
  expect(completed(effect, { excuses: ["changed", "lost"] })).toEqual({ verdict: "same" });
  expect(completed(effect, { excuses: ["changed"] }).cause).toContain("lost 1 of 3 accounts");
});

test("ignores a field that also differs between clean runs", () => {
  const effect = holding({
    accounts: [["a1", { ...a1[1], name: "Eve" }], a2, a3, old],
    usage,
    externallyDiscoveredUsage: [seen],
  });
  const volatile = new Set(["accounts.name"]);
  expect(judge({ ...COMPLETED, effect }, { ...expected, volatile })).toEqual({ verdict: "same" });
});

test("expects the next run to send what a run without the fault would send a day later", () => {
  const twice = holding({ accounts, usage, externallyDiscoveredUsage: [seen, seen] });
  const failed = { ...COMPLETED, end: "refused" as const, hasSent: false, error: new Error("500") };
  const afterwards = (effect: Judged["effect"]) =>
    judge({ ...failed, next: { error: undefined, effect } }, { ...expected, nextRun: twice });
  expect(afterwards(twice).verdict).toBe("refused");
  expect(afterwards(clean).cause).toContain("the next run, without the fault, lost 1 of 2");
});

test("says why the guard held a run", () => {
  const report = { value: { reasons: [{ message: "accounts: 9 of 9 known ids would be removed" }] } };
  const error: unknown = Object.create(RunHeldError.prototype, { report });
  expect(ended({ end: "held", error })).toEqual({
    verdict: "held",
    error: "accounts: 9 of 9 known ids would be removed",
  });
});

const next = { error: undefined, effect: clean };
const resumed = holding({
  accounts: [[...a1, "removed"], [...a2, "removed"], a3, old],
  usage,
  externallyDiscoveredUsage: [seen],
});

test.each<[what: string, run: Partial<Judged>, verdict: string, said: string]>([
  ["refused if the next run has the clean effect", { next }, "refused", "page 2: 500"],
  ["held if the next run has the clean effect", { next, end: "held" }, "held", "page 2: 500"],
  [
    "WRONG if the next run has another",
    { next: { error: undefined, effect: resumed } },
    "WRONG",
    'the next run, without the fault, removed 2 of 3 accounts ("a1", "a2")',
  ],
  [
    "WRONG if the next run fails",
    { next: { error: new Error("still broken"), effect: clean } },
    "WRONG",
    "the next run, without the fault, failed too: still broken",
  ],
  [
    "WRONG if it has begun to send",
    { next, hasSent: true },
    "WRONG",
    "the run failed after it began to send, as if a write was not awaited",
  ],
  [
    "WRONG if a secret came out, which is not shown",
    { next, error: new Error("Bearer top-secret"), leaks: ["the authorization header is in the error"] },
    "WRONG",
    "leaked: the authorization header is in the error",
  ],
  [
    "WRONG if it does not end",
    { endless: "does not end: sent 160 requests" },
    "WRONG",
    "does not end: sent 160 requests",
  ],
])("calls a failed run %s", (_, run, verdict, said) => {
  const { cause, error, ...judged } = ended(run);
  expect([judged.verdict, error ?? cause]).toEqual([
    verdict,
    verdict === "WRONG" ? `${said}; cause: GET /users?page=2 answered 500` : said,
  ]);
});
