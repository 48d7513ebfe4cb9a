/** The collections of the contract that is in place, as code generation reads them. */
import type { Collection } from "../../codegen/model.js";
import { IN_PLACE } from "./fixtures.js";
import { collectionsOf } from "./generated.js";

export function contractCollections(): readonly Collection[] {
  return collectionsOf(IN_PLACE);
}
