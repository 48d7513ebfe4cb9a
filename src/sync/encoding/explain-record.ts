import type { z } from "zod";
import { type InputIssue, InvalidInputError } from "../../core/errors/index.js";
import { isObject } from "../../core/validate.js";
import { COLLECTIONS, type Collection } from "../collections.js";
import { EventTimes } from "../event-times.js";

const MAX_ISSUES = 20;
/** How many records after an invalid one are checked for further issues. */
const LOOK_AHEAD = 1000;
const NAMED_FIELDS = 3;
/** The messages of our own checks start with this. */
const OWN = "expected ";

/** Which record an issue is about. */
export type RecordLocation = Pick<InputIssue, "collection" | "index" | "id" | "location">;

let schemas: typeof import("../generated/schemas.js") | undefined;

/** Explains why the encoder refused a record. Loads zod and the schemas only when a record is refused. */
export async function explainRecord(
  collection: Collection,
  record: unknown,
  place: RecordLocation,
  times?: EventTimes,
): Promise<readonly InputIssue[]> {
  schemas ??= await import("../generated/schemas.js");
  const refused = (expected: string): readonly InputIssue[] => [{ ...place, path: "", expected }];
  if (record instanceof Promise) return refused("a record, not a promise: await it in the source");
  if (typeof record === "string" || ArrayBuffer.isView(record))
    return refused("a record, not text or bytes: parse a file with fromCsv or fromJsonl");
  try {
    const { generic, others = generic } = schemas.RECORD_SCHEMAS[collection];
    const isSet = (name: string) => isObject(record) && Reflect.get(record, name) != null;
    const schema = COLLECTIONS[collection].variants.some(isSet) ? others : generic;
    EventTimes.checked = times;
    const issues = schema.safeParse(record).error?.issues ?? [];
    if (issues.some(hasWrapper)) return [{ ...place, path: GENERIC, expected: FLAT }];
    // Misnamed fields come first, because they're often why another field is missing.
    const ordered = [...issues].sort((a, b) => Number(isUnknownField(b)) - Number(isUnknownField(a)));
    const explained = ordered.flatMap((issue) => toIssues(issue, place));
    return explained.length > 0 ? explained : refused("a valid record");
  } catch {
    return refused("a plain object: reading this one threw an exception");
  } finally {
    EventTimes.checked = undefined;
  }
}

const GENERIC = "generic";
const FLAT = "a flat record without a wrapper, { id, … } instead of { generic: { id, … } }";

/** Users may wrap a record in `generic`, because the API's own messages name their generic variant. */
function hasWrapper(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys" && issue.path.length === 0 && issue.keys.includes(GENERIC);
}

function isUnknownField(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys";
}

function toIssues(issue: z.core.$ZodIssue, place: RecordLocation): InputIssue[] {
  const path = issue.path.map(String);
  // Zod's own messages may quote values.
  const expected = issue.message.startsWith(OWN) ? issue.message.slice(OWN.length) : "a valid value";
  if (issue.code !== "unrecognized_keys") return [{ ...place, path: path.join("."), expected }];
  return issue.keys.map((key) => ({
    ...place,
    path: [...path, showKey(key)].join("."),
    expected: suggestCamelCase(key) ?? expected,
  }));
}

/** The most likely mistake is to use the wire's name, such as `source_id` for `sourceId`. */
function suggestCamelCase(key: string): string | undefined {
  const camelCase = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camelCase === key ? undefined : `a field name in camelCase (${showKey(camelCase)})`;
}

/** An unknown key may be data, so we only show what looks like a name. */
function showKey(key: string): string {
  return /^\w{1,60}$/.test(key) ? key : "(a key that is not a field name)";
}

/** Describes what was expected of a record that is too large: names its largest fields but shows no values. */
export function describeOversizedRecord(fields: object = {}, bytes: number, maxMessageBytes: number): string {
  const largest = Object.entries(fields)
    .map(([name, value]) => ({ name, bytes: stringBytes(value) }))
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, NAMED_FIELDS)
    .map((field) => `${field.name} (${field.bytes} bytes)`);
  return `a record that fits in a message of ${maxMessageBytes} bytes: by itself it takes ${bytes} bytes; its largest fields are ${largest.join(", ")}`;
}

function stringBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, entry]) => sum + (Array.isArray(value) ? 0 : Buffer.byteLength(key)) + stringBytes(entry),
    0,
  );
}

/** The issues of one write. After the first issue, further records are checked but not sent. */
export class InvalidRecords {
  readonly #issues: InputIssue[] = [];
  readonly #consequence: string;
  #checked = 0;

  /** @param consequence A sentence that says what a failed write means for the records already sent. */
  constructor(consequence: string) {
    this.#consequence = consequence;
  }

  add(issues: readonly InputIssue[]): void {
    this.#issues.push(...issues.slice(0, MAX_ISSUES - this.#issues.length));
    this.lookAhead();
  }

  /** Counts a record that was checked after an invalid one. @throws {InvalidInputError} enough records were checked */
  lookAhead(): void {
    if (this.#issues.length >= MAX_ISSUES || this.#checked >= LOOK_AHEAD) this.throw();
    this.#checked += 1;
  }

  get error(): InvalidInputError {
    const others = this.#issues.length > 1 ? ` ${this.#issues.length - 1} more in issues.` : "";
    return new InvalidInputError(summarize(this.#issues[0], this.#consequence) + others, {
      issues: [...this.#issues],
      advice: { option: "issues", text: others },
    });
  }

  throw(): never {
    throw this.error;
  }
}

function summarize(issue: InputIssue | undefined, consequence: string): string {
  if (issue === undefined) return "A record is invalid.";
  const id = issue.id === undefined ? "" : ` (id ${JSON.stringify(issue.id)})`;
  const location = issue.location === undefined ? "" : ` (${issue.location})`;
  const path = issue.path === "" ? "" : ` ${issue.path}`;
  return `${issue.collection}[${issue.index}]${id}${location}${path}: expected ${issue.expected}. ${consequence} Correct the records first.`;
}
