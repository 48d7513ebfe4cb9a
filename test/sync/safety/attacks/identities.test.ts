import { identityAttacks } from "./identities.js";
import { describeAttacks } from "./suite.js";

describeAttacks("ids that are not what they were", identityAttacks);
