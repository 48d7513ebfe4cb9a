import { type InputIssue, InvalidInputError } from "../../core/errors/index.js";

/** Most issues that an error holds. */
const MAX_ISSUES = 20;
/** How many records after an invalid one are looked at for further issues, where they are at hand. */
const LOOK_AHEAD = 1000;

/** What is wrong with the records of one write: from the first issue on, records are looked at only. */
export class InvalidRecords {
  readonly #issues: InputIssue[] = [];
  #lookedAt = 0;

  /** Whether anything is wrong. */
  get any(): boolean {
    return this.#issues.length > 0;
  }

  /**
   * Takes down what is wrong with a record.
   * @throws {InvalidInputError} enough is known
   */
  add(issues: readonly InputIssue[]): void {
    this.#issues.push(...issues.slice(0, MAX_ISSUES - this.#issues.length));
    this.lookAhead();
  }

  /**
   * A record after an invalid one was looked at.
   * @throws {InvalidInputError} enough is known
   */
  lookAhead(): void {
    if (this.#issues.length >= MAX_ISSUES || this.#lookedAt >= LOOK_AHEAD) this.throwIfAny();
    this.#lookedAt += 1;
  }

  /** @throws {InvalidInputError} a record was invalid */
  throwIfAny(): void {
    const first = this.#issues[0];
    if (first === undefined) return;
    throw new InvalidInputError(summarize(first, this.#issues.length), { issues: [...this.#issues] });
  }
}

function summarize(issue: InputIssue, count: number): string {
  const id = issue.id === undefined ? "" : ` (id ${JSON.stringify(issue.id)})`;
  const path = issue.path === "" ? "" : ` ${issue.path}`;
  const place = issue.location === undefined ? "" : ` (${issue.location})`;
  const more = count > 1 ? ` ${count - 1} more in issues.` : "";
  return `${issue.collection}[${issue.index}]${id}${place}${path}: expected ${issue.expected}. Nothing after this was sent: correct the records, and send all of them in a new batch or run.${more}`;
}
