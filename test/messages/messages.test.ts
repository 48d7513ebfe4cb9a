/** The wording of about 25 errors that users meet most. All other tests look at `code` and fields. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

/** An error that users meet, and the whole text of its message. */
interface PinnedMessage {
  readonly title: string;
  /** Throws the error, or returns a promise that rejects with it. */
  readonly provoke: () => unknown;
  readonly text: string;
}

const areas = readdirSync(new URL(".", import.meta.url)).filter((name) => !name.includes(".test."));
const pinned: PinnedMessage[] = [];
for (const area of areas) {
  const { messages }: { readonly messages: readonly PinnedMessage[] } = await import(`./${area}`);
  pinned.push(...messages);
}

test.each(pinned)("says what was wrong and what to do: $title", async ({ provoke, text }) => {
  const outcome = await Promise.resolve()
    .then(provoke)
    .catch((error: unknown) => error);
  expect(outcome).toHaveProperty("message", text);
});
