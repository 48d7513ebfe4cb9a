import { isData, isSettings, payloadOf, withPayload } from "./frames.js";

/**
 * Bytes of a stream that the client may send at first, and for good: a window is renewed only when half of what the
 * server allows was used. One message of the simulation fits in, two do not.
 */
const STREAM_WINDOW_BYTES = 160;
/** SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113, section 6.5.2), as it stands in a frame. */
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;

/** Bytes before a message of gRPC: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** Tag of the only field of an answer that is a number: how many records were accepted. */
const ACCEPTED_RECORDS_TAG = 8;

/** Makes of the server's frames those of one that has small windows and counts nothing. */
export function makeCurt(frame: Buffer): Buffer {
  if (isSettings(frame)) return withPayload(frame, withSmallWindow(payloadOf(frame)));
  const isCount = isData(frame) && payloadOf(frame)[PREFIX_BYTES] === ACCEPTED_RECORDS_TAG;
  return isCount ? withPayload(frame, Buffer.alloc(PREFIX_BYTES)) : frame;
}

function withSmallWindow(settings: Buffer): Buffer {
  const others: Buffer[] = [];
  for (let start = 0; start < settings.length; start += SETTING_BYTES) {
    const setting = settings.subarray(start, start + SETTING_BYTES);
    if (setting.readUInt16BE(0) !== INITIAL_WINDOW_SIZE) others.push(setting);
  }
  const window = Buffer.alloc(SETTING_BYTES);
  window.writeUInt16BE(INITIAL_WINDOW_SIZE, 0);
  window.writeUInt32BE(STREAM_WINDOW_BYTES, 2);
  return Buffer.concat([...others, window]);
}
