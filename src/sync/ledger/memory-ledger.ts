import type { KnownIds, Ledger, LedgerScope, PendingApproval } from "./ledger.js";

interface Entry {
  completed: readonly Uint8Array[] | undefined;
  readonly unclear: Map<string, readonly Uint8Array[]>;
  approval: PendingApproval | undefined;
}

/** A ledger that lives as long as the process, for tests. */
export function memoryLedger(): Ledger {
  const entries = new Map<string, Entry>();
  const entryOf = ({ endpoint, installationId, collection }: LedgerScope): Entry => {
    const key = JSON.stringify([endpoint, installationId, collection]);
    const entry = entries.get(key) ?? { completed: undefined, unclear: new Map(), approval: undefined };
    entries.set(key, entry);
    return entry;
  };
  return {
    known: async (scope) => {
      const { completed, unclear } = entryOf(scope);
      const known: KnownIds[] = completed === undefined ? [] : [knownIds("completed", completed)];
      for (const pieces of unclear.values()) known.push(knownIds("unclear", pieces));
      return known;
    },
    draft: async (scope, batchId) => {
      const entry = entryOf(scope);
      const pieces: Uint8Array[] = [];
      return {
        // A copy: a piece may be a small part of its buffer.
        write: (lines) => void pieces.push(lines.slice()),
        read: () => streamOf(pieces),
        save: async () => void entry.unclear.set(batchId, pieces),
        promote: async () => {
          // A later batch was completed first: its ids must not be replaced by older ones.
          if (!entry.unclear.has(batchId)) return;
          entry.completed = pieces;
          for (const id of entry.unclear.keys()) {
            entry.unclear.delete(id);
            // Later batches keep theirs.
            if (id === batchId) break;
          }
        },
        discard: async () => void entry.unclear.delete(batchId),
      };
    },
    hold: async (scope, approval) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of approval.lines()) pieces.push(piece);
      entryOf(scope).approval = { ...approval, lines: () => streamOf(pieces) };
      return undefined;
    },
    held: async (scope) => entryOf(scope).approval,
    release: async (scope) => {
      entryOf(scope).approval = undefined;
    },
  };
}

function knownIds(state: KnownIds["state"], pieces: readonly Uint8Array[]): KnownIds {
  return { state, lines: () => streamOf(pieces) };
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* pieces;
}
