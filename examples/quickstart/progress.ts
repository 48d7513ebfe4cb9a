/** A progress line: rewritten in place on a terminal, plain lines elsewhere. */
import { count } from "./print.js";

export interface Progress {
  /** So many records of a collection were accepted so far. */
  update(collection: string, accepted: number): void;
  /** The source is done. */
  end(summary: string): void;
}

export function startProgress(source: string, out: NodeJS.WriteStream = process.stdout): Progress {
  const title = `  ${source.padEnd(14)}`;
  return {
    update: (collection, accepted) => {
      // Without a terminal every update would be a line of its own: the summary says it all.
      if (out.isTTY) out.write(`\r\x1b[K${title} ${collection} ${count(accepted)}`);
    },
    end: (summary) => {
      out.write(`${out.isTTY ? "\r\x1b[K" : ""}${title} ${summary}\n`);
    },
  };
}
