import { fileAttacks } from "./files.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a file that is not what it should be", fileAttacks);
