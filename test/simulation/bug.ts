/** A bug: what is replaced in a file of `src`, where it stands exactly once. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}
