import { COLLECTIONS } from "../../src/sync/collections.js";
import { batchOfSilentService } from "../support/bare-handle.js";
import { previewOf } from "../support/connector.js";

const batch = batchOfSilentService;

export const messages = [
  {
    title: "an invalid record",
    provoke: async () => (await batch()).write("accounts", [{ id: "u1" }, { id: "" }]),
    text: 'accounts[1] (id "") id: expected a string that is not empty, got an empty string. Nothing after this was sent, and the batch cannot be completed: start a new one. Correct the records first.',
  },
  {
    title: "a stream of bytes as a source",
    provoke: async () => {
      const started = await batch();
      return Reflect.apply(started.write, started, ["accounts", new Response("id\n").body]);
    },
    text: "The source of accounts is bytes or text. Parse a file with fromCsv or fromJsonl, and a response with fromPages.",
  },
  {
    title: "a source with fewer records than expected",
    provoke: () => previewOf(["accounts"], (run) => run.write("accounts", [], { expectedCount: 5 })),
    text: "The source of accounts had 0 records, but expectedCount is 5. Nothing was sent. Check the source first.",
  },
  {
    title: "an unknown collection",
    // @ts-expect-error -- the types know the collections
    provoke: async () => (await batch()).write("Accounts", []),
    text: `There is no collection "Accounts". Did you mean accounts? Collections: ${Object.keys(COLLECTIONS).join(", ")}.`,
  },
];
