import { lazily } from "../lazily.js";

/** What only writes need, and what stands on it: the encoders. */
export const loadWriting = lazily(async () => {
  const [writer, sink, collections] = await Promise.all([
    import("./writer.js"),
    import("./record-sink.js"),
    import("./collections.js"),
  ]);
  return { ...writer, ...sink, ...collections };
});

/** What only a record needs that is refused: zod and the schemas, which say what is wrong with it. */
export const loadExamination = lazily(() => import("./examine-record.js"));
