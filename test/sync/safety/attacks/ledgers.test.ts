import { ledgerAttacks } from "./ledgers.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a ledger that is not what it was", ledgerAttacks);
