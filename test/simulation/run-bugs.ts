import type { Bug } from "./bug.js";

/** Bugs of runs, in the order of their steps: the simulation in memory has to catch them. */
export const RUN_BUGS: readonly Bug[] = [
  {
    name: "T0 is read after the connector was called",
    file: "sync/run/run.ts",
    right:
      "      const extracted = { ...(await this.#extract(spool)), state };\n      // 3 Read the ledger again, and judge all snapshots together. Held: nothing was sent.\n      if ((await this.#readState()) !== state) return undefined;\n",
    wrong:
      "      const found = await this.#extract(spool);\n      const extracted = { ...found, state: await this.#readState() };\n",
  },
  {
    name: "what was read is judged without a look at what was completed meanwhile",
    file: "sync/run/run.ts",
    right: "      if ((await this.#readState()) !== state) return undefined;\n",
    wrong: "",
  },
  {
    name: "nothing is judged",
    file: "sync/run/run.ts",
    right: "await extracted.guard.judge();",
    wrong: "void extracted.guard;",
  },
  {
    name: "a batch is started before all was judged",
    file: "sync/run/run.ts",
    right: "      await extracted.guard.judge();\n",
    wrong:
      "      await (await this.#parts.start({ ...this.#scope }, { attempt: 1 })).abort();\n      await extracted.guard.judge();\n",
  },
  {
    name: "what was completed meanwhile is not looked at under the lock",
    file: "sync/run/send.ts",
    right: 'if ((await raceAbort(readState(), batch.signal)) !== state) type = "outdated";',
    wrong: 'if (state.length < 0) type = "outdated";',
  },
  {
    name: "a connector is called again after a transient failure",
    file: "sync/run/run.ts",
    right: 'if (end.type === "outdated") {',
    wrong: 'if (isTransient(batch.failure)) return undefined; if (end.type === "outdated") {',
  },
  {
    name: "a write that comes too late does not cut the run off",
    file: "sync/run/send.ts",
    right: "linkAbort(ended, extraction.incomplete);",
    wrong: "linkAbort(ended);",
  },
  {
    name: "a write whose failure the connector swallows is left out",
    file: "sync/run/extract.ts",
    right: '    if (!this.#writes.isComplete) throw this.#writes.refusal("The run");\n',
    wrong: "",
  },
  {
    name: "an accepted message of a snapshot is left out of the next batch",
    file: "sync/run/spool-sender.ts",
    right: "if (isEvents && (isAccepted ||",
    wrong: "if ((isEvents || isAccepted) && (isAccepted ||",
  },
  {
    name: "accepted events are sent again in the next batch",
    file: "sync/run/spool-sender.ts",
    right: "message.isAccepted && (message.isCounted || !areCounted)",
    wrong: "message.isAccepted && message.length < 0 && areCounted",
  },
  {
    name: "events of an unknown outcome are sent again in the next batch, with at-most-once",
    file: "sync/run/spool-sender.ts",
    right: "!mayBeRepeated && window.some(({ isUnclear }) => isUnclear)",
    wrong: "!mayBeRepeated && window.length < 0",
  },
  {
    name: "a receipt does not tell of events of an unknown outcome",
    file: "sync/run/spool-sender.ts",
    right: "return records === 0 ? [] :",
    wrong: "return records >= 0 ? [] :",
  },
  {
    name: "ids are not stored before the completion",
    file: "sync/run/send.ts",
    right: "      await guard.save(batch.signal);\n",
    wrong: "",
  },
  {
    name: "a lost completion is taken for a success",
    file: "sync/run/send.ts",
    right: "        unclear = completion;\n        throw completion;\n      }\n      counts = completion;",
    wrong: "        counts = {};\n      } else counts = completion;",
  },
  {
    name: "a lost completion is taken for a failure",
    file: "sync/run/send.ts",
    right: "        unclear = completion;\n",
    wrong: "",
  },
  {
    name: "a run that fails later hides that a batch of it may have been completed",
    file: "sync/run/run.ts",
    right: "throw this.#withUnclear(error);",
    wrong: "throw error;",
  },
  {
    name: "ids are promoted although the batch was not completed",
    file: "sync/run/send.ts",
    right: "        await guard.givenUp(outcome);\n",
    wrong: "        await guard.completed({});\n",
  },
  {
    name: "a watermark is stored although the batch was not completed",
    file: "sync/run/send.ts",
    right: "        await guard.givenUp(outcome);\n",
    wrong: "        await watermarks.completed();\n        await guard.givenUp(outcome);\n",
  },
  {
    name: "a message is dropped at the border between memory and file",
    file: "sync/run/spool.ts",
    right: "    listOf(this.#messages, collection).push({",
    wrong: "    if (piece.memory !== undefined || piece.at > 0) listOf(this.#messages, collection).push({",
  },
  {
    name: "the second message of a file is written over the first one",
    file: "sync/run/spool.ts",
    right: "this.#fileBytes += length;",
    wrong: "this.#fileBytes += at === 0 ? 0 : length;",
  },
  {
    name: "what the disk takes in a second piece is lost",
    file: "sync/run/spool.ts",
    right: "      for (let done = 0; done < bytes.length; )\n        done += (",
    wrong: "      for (let done = 0; done < 1; )\n        done += (",
  },
  {
    name: "the file of a run keeps its name",
    file: "sync/run/spool.ts",
    right: "    await unlink(path);\n",
    wrong: "",
  },
  {
    name: "the file of a run stays open",
    file: "sync/run/run.ts",
    right: "      await spool.close();\n",
    wrong: "",
  },
  {
    name: "an answer without a count is an acceptance though the service counts",
    file: "sync/write/window-sender.ts",
    right: "    acknowledgements.check(accepted, records);\n",
    wrong: "",
  },
];
