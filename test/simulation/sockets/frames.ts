/** What a client of HTTP/2 says before its first frame (RFC 9113, section 3.4). */
const PREFACE_BYTES = 24;
/** Bytes of a frame's head: length, type, flags, stream (section 4.1). */
const HEAD_BYTES = 9;
const DATA = 0;

/** Cuts what a client sends into its preface and frames, each of them whole. */
export class FrameCutter {
  #rest: Buffer = Buffer.alloc(0);
  #started = false;

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
