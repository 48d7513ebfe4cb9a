import { randomBytes } from "node:crypto";

/** Random for each process, so that nobody can craft two ids with the same hash. */
const KEY = randomBytes(12);
const KEY_0 = KEY.readInt32LE(0);
const KEY_1 = KEY.readInt32LE(4);
const KEY_CONTENTS = KEY.readInt32LE(8);

/** Odd multipliers of xxHash and MurmurHash3, and FNV's prime for the last bytes. */
const EVEN = 0x9e3779b1;
const ODD = 0x85ebca6b;
const FNV_PRIME = 0x01000193;

/**
 * Hashes the bytes of ids and records without native calls or allocation.
 *
 * Ids get HalfSipHash-1-3, a keyed hash of 64 bits. For contents, 32 bits are enough, because only records with the
 * same id are compared. The SipHash round is written out twice because one shared loop made each id a fifth slower.
 */
export class IdHash {
  low = 0;
  high = 0;

  /** Hashes `bytes` from `start` to `end` into `low` and `high`. */
  id(bytes: DataView, start: number, end: number): void {
    let v0 = KEY_0;
    let v1 = KEY_1 ^ 0xee;
    let v2 = 0x6c796765 ^ KEY_0;
    let v3 = 0x74656462 ^ KEY_1;
    const length = end - start;
    const whole = end - (length & 3);
    for (let at = start; at <= whole; at += 4) {
      // The last word holds the remaining bytes and the length.
      const word = at < whole ? bytes.getInt32(at, true) : remainingBytes(bytes, whole, end) | (length << 24);
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    v2 ^= 0xee;
    for (let output = 0; output < 2; output += 1) {
      for (let round = 0; round < 3; round += 1) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      if (output === 0) this.low = v1 ^ v3;
      else this.high = v1 ^ v3;
      v1 ^= 0xdd;
    }
  }

  /** Hashes the record in `bytes` from `start` to `end`. */
  contents(bytes: DataView, start: number, end: number): number {
    return mixBytes(bytes, start, end, KEY_CONTENTS);
  }
}

/** Hashes bytes; the same seed gives the same hash in every process. Two lanes let the multiplications overlap. */
export function mixBytes(bytes: DataView, start: number, end: number, seed: number): number {
  let even = seed ^ (end - start);
  let odd = seed;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    even = Math.imul(even ^ bytes.getInt32(at, true), EVEN);
    odd = Math.imul(odd ^ bytes.getInt32(at + 4, true), ODD);
    even ^= even >>> 15;
    odd ^= odd >>> 13;
  }
  for (; at < end; at += 1) even = Math.imul(even ^ bytes.getUint8(at), FNV_PRIME);
  const hash = Math.imul(even ^ (even >>> 16), ODD) ^ Math.imul(odd ^ (odd >>> 15), EVEN);
  return hash ^ (hash >>> 16);
}

/** Returns a view that reads the bytes as words. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Puts the last zero to three bytes into the low end of a word. */
function remainingBytes(bytes: DataView, start: number, end: number): number {
  let word = 0;
  for (let at = end - 1; at >= start; at -= 1) word = (word << 8) | bytes.getUint8(at);
  return word;
}
