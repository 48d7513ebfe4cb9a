import type { Exchange } from "../../../../src/testing/kit/cassette/cassette.js";
import { byCursor } from "./by-cursor.js";
import { byLink } from "./by-link.js";
import { byOffset } from "./by-offset.js";
import { byPageNumber } from "./by-page-number.js";
import { byToken } from "./by-token.js";
import { csvExport } from "./csv-export.js";
import { withDetails } from "./with-details.js";

export const RECORDINGS = {
  "by token": byToken(),
  "by token, 23 users": byToken(23),
  "by page number": byPageNumber(),
  "by offset": byOffset(),
  "by link": byLink(),
  "by cursor": byCursor(),
  "with details": withDetails(),
  "csv export": csvExport(),
} satisfies Record<string, readonly Exchange[]>;
