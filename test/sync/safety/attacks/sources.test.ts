import { sourceAttacks } from "./sources.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a source that gives less than there is", sourceAttacks);
