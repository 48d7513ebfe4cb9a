/** Writes the golden transcript from the current code. Run it only after an intended change to what is sent. */
import { writeFileSync } from "node:fs";
import { graphqlTranscript, syncTranscript } from "./transcript.js";

const transcript = { sync: await syncTranscript(), graphql: await graphqlTranscript() };
writeFileSync(new URL("./transcript.json", import.meta.url), `${JSON.stringify(transcript, undefined, 1)}\n`);
