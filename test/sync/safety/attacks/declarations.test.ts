import { declarationAttacks } from "./declarations.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a function that writes less than its source has", declarationAttacks);
