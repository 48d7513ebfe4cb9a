import { Lazy } from "../../core/lazy.js";

/** What writes need, loaded with the first of them: whoever only opens or aborts a batch does not pay for it. */
export const writing = new Lazy("What writes need", () => import("./writing.js"));

/** zod and the schemas, loaded with the first record that is refused: they say what is wrong with it. */
export const examination = new Lazy(
  "What tells why a record is refused",
  () => import("../encoding/examine-record.js"),
);
