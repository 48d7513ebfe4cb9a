/** What is sent must not change: bytes of all collections, order of RPCs, names of metadata, GraphQL bodies. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { testOfAssumedContract } from "../support/adopted.js";
import { graphqlTranscript, syncTranscript } from "./transcript.js";

/** `npx tsx --tsconfig tsconfig.dev.json test/golden/freeze.ts` writes the transcript. */
const golden: unknown = JSON.parse(readFileSync(new URL("./transcript.json", import.meta.url), "utf8"));

testOfAssumedContract(
  "sends the bytes, RPCs, metadata and GraphQL bodies of the golden transcript",
  async () => {
    expect({ sync: await syncTranscript(), graphql: await graphqlTranscript() }).toEqual(golden);
  },
);
