import { serviceAttacks } from "./service.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a service or a network that lets a run down", serviceAttacks);
