/** What a write needs: the generated encoders and whatever stands on them. */

export { MessageBuilder } from "../encoding/messages.js";
export { RecordSink } from "./record-sink.js";
export { writeSource } from "./source-reader.js";
