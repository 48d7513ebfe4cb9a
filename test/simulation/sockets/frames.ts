/** What a client of HTTP/2 says before its first frame (RFC 9113, section 3.4). */
const PREFACE_BYTES = 24;
/** Bytes of a frame's head: length, type, flags, stream (section 4.1). */
const HEAD_BYTES = 9;
const DATA = 0;
const SETTINGS = 4;
/** Flag of the frame that acknowledges settings. */
const ACK = 1;

/** Cuts what one side sends into its preface, if it has one, and frames, each of them whole. */
export class FrameCutter {
  #rest: Buffer = Buffer.alloc(0);
  #started: boolean;

  /** @param sender Whether it begins with a preface: clients do. */
  constructor(sender: { readonly preface: boolean }) {
    this.#started = !sender.preface;
  }

  *cut(bytes: Buffer): Generator<Buffer, void, undefined> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let length = this.#next(); length <= this.#rest.length; length = this.#next()) {
      const whole = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      this.#started = true;
      yield whole;
    }
  }

  /** Bytes of the next frame, or more than there are. */
  #next(): number {
    if (!this.#started) return PREFACE_BYTES;
    return this.#rest.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + this.#rest.readUIntBE(0, 3);
  }
}

/** Whether a frame holds a part of a message. */
export function isData(frame: Buffer): boolean {
  return frame[3] === DATA;
}

/** Whether a frame holds settings of its sender. */
export function isSettings(frame: Buffer): boolean {
  return frame[3] === SETTINGS && ((frame[4] ?? 0) & ACK) === 0;
}

/** What a frame holds. */
export function payloadOf(frame: Buffer): Buffer {
  return frame.subarray(HEAD_BYTES);
}

/** The same frame with something else in it. */
export function withPayload(frame: Buffer, payload: Buffer): Buffer {
  const head = Buffer.from(frame.subarray(0, HEAD_BYTES));
  head.writeUIntBE(payload.length, 0, 3);
  return Buffer.concat([head, payload]);
}
