import { processAttacks } from "./processes.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a process that ends before its run does", processAttacks);
