import { type ErrorDetails, SaasManagementError } from "./base.js";

/** Options, environment or endpoint are not valid (service description, "Errors"). */
export class ConfigurationError extends SaasManagementError {
  static readonly code = "INVALID_CONFIGURATION";
  /** @internal */
  static override readonly name = "ConfigurationError";
  override readonly code = ConfigurationError.code;
}

/**
 * One problem of an input: what was expected and the type of what was given. A value is quoted only if it is a number, a
 * boolean, null or undefined, never a string.
 */
export interface InputIssue {
  /** Collection of the record. */
  readonly collection?: string;
  /** Index of the record in its write, from 0. */
  readonly index?: number;
  /** Id of the record, if it has a readable one. */
  readonly id?: string;
  /** Where the record comes from, such as `users.csv:1042`, if its source knows. */
  readonly location?: string;
  /** Path of the field, such as `details.model`; empty for the whole value. */
  readonly path: string;
  /**
   * What was expected and what was given: `a string, got a number`. For a place in a file or a listing: what is wrong
   * with it, such as `has 3 cells, but the header has 4`.
   */
  readonly expected: string;
}

/** Arguments or records are not valid (service description, "Errors"). */
export class InvalidInputError extends SaasManagementError {
  static readonly code = "INVALID_INPUT";
  /** @internal */
  static override readonly name = "InvalidInputError";
  override readonly code = InvalidInputError.code;
  /** The problems, up to 20. */
  readonly issues: readonly InputIssue[];

  constructor(message: string, details: ErrorDetails & { readonly issues?: readonly InputIssue[] } = {}) {
    super(message, details);
    this.issues = details.issues ?? [];
  }
}
