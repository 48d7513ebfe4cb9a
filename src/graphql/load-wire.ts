import { Lazy } from "../lazy.js";

/** What needs graphql and graphql-request: loaded with the first request. */
export const wire = new Lazy(() => import("./wire.js"));
