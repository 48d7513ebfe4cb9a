import { approvalAttacks } from "./approvals.js";
import { describeAttacks } from "./suite.js";

describeAttacks("an approval that is taken for more than it is", approvalAttacks);
