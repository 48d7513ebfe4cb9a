/** What a contract has that the present one has not, or the other way around. */

export type FindingKind = "missing" | "renamed" | "renumbered" | "retyped" | "new" | "undecided" | "left out";

export interface Finding {
  readonly kind: FindingKind;
  /** The part of the contract, such as `Person.display_name`. */
  readonly subject: string;
  /** What it means for the SDK. */
  readonly meaning: string;
  /** The key in contract/mapping.ts or contract/rules.ts that it touches, such as `messages.Employee.fields.id`. */
  readonly touches?: Touched;
  /** The flag that decides it. */
  readonly flag?: string;
}

export interface Touched {
  readonly file: "mapping.ts" | "rules.ts";
  readonly path: readonly string[];
}

export const mappingKey = (...path: readonly string[]): Touched => ({ file: "mapping.ts", path });
export const ruleKey = (...path: readonly string[]): Touched => ({ file: "rules.ts", path });
