/** The arguments of the command line are wrong. */
export class UsageError extends Error {}
