import { showPage } from "../page/page.tsx";
import { queries } from "./queries.ts";

showPage(queries, "codegen");
