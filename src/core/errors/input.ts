import { type ErrorDetails, SaasManagementError } from "./base.js";

/** Options, environment or endpoint are not usable (service description, "Errors"). */
export class ConfigurationError extends SaasManagementError {
  static readonly code = "INVALID_CONFIGURATION";
  /** @internal */
  static override readonly name = "ConfigurationError";
  override readonly code = ConfigurationError.code;
}

/**
 * One thing that is wrong with an input. Says what was expected; of what was given its kind, and its value only where
 * that is a number, a boolean, null or undefined: never a text.
 */
export interface InputIssue {
  /** Collection of the record. */
  readonly collection?: string;
  /** Index of the record in its write, from 0. */
  readonly index?: number;
  /** Id of the record, where it has a readable one. */
  readonly id?: string;
  /** Where the record comes from, such as `users.csv:1042`, where its source knows. */
  readonly location?: string;
  /** Path of the field, such as `generic.details.model`; empty where the whole value is meant. */
  readonly path: string;
  /**
   * What was expected there, and what there was: `a string, got a number`. Of a place in a file or a listing: what is
   * wrong with it, as `has 3 cells, but the header has 4`.
   */
  readonly expected: string;
}

/** Arguments or records are not valid (service description, "Errors"). */
export class InvalidInputError extends SaasManagementError {
  static readonly code = "INVALID_INPUT";
  /** @internal */
  static override readonly name = "InvalidInputError";
  override readonly code = InvalidInputError.code;
  /** What is wrong, up to 20 entries. */
  readonly issues: readonly InputIssue[];

  constructor(message: string, details: ErrorDetails & { readonly issues?: readonly InputIssue[] } = {}) {
    super(message, details);
    this.issues = details.issues ?? [];
  }
}
