/** Writes the golden transcript from the code as it is. Only for an intended change of what is sent. */
import { writeFileSync } from "node:fs";
import { graphqlTranscript, syncTranscript } from "./transcript.js";

const transcript = { sync: await syncTranscript(), graphql: await graphqlTranscript() };
writeFileSync(new URL("./transcript.json", import.meta.url), `${JSON.stringify(transcript, undefined, 1)}\n`);
