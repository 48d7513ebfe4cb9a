/** Writes the golden transcript from the code as it is. Only for a change of the wire that is meant. */
import { writeFileSync } from "node:fs";
import { graphqlTranscript, syncTranscript } from "./transcript.js";

const transcript = { sync: await syncTranscript(), graphql: await graphqlTranscript() };
writeFileSync(new URL("./transcript.json", import.meta.url), `${JSON.stringify(transcript, undefined, 1)}\n`);
