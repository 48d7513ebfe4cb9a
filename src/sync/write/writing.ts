/** What a write needs: the generated encoders and whatever stands on them. */

export { COLLECTIONS } from "../collections.js";
export { MessageBuilder } from "../records/messages.js";
export { writeSource } from "../writer.js";
export { RecordSink } from "./record-sink.js";
