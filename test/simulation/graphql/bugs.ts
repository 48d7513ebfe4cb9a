import type { Bug } from "../bug.js";
import { REQUEST_BUGS } from "./bugs/requests.js";
import { SECRET_BUGS } from "./bugs/secrets.js";
import { WALK_BUGS } from "./bugs/walks.js";

/** Bugs of the GraphQL facade that its simulation must catch. */
export const GRAPHQL_BUGS: readonly Bug[] = [...WALK_BUGS, ...REQUEST_BUGS, ...SECRET_BUGS];
