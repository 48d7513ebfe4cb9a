import { pageAttacks } from "./pages.js";
import { describeAttacks } from "./suite.js";

describeAttacks("a paged listing that ends too early", pageAttacks);
