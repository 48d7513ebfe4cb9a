/** Writes llms.txt, llms-full.txt and skills/ for the package; `npm run build` does it too. */
import { ROOT } from "../api/entries.js";
import { writeAgentFiles } from "./files.js";

await writeAgentFiles(ROOT);
