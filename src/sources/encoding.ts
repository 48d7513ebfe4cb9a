import { InvalidInputError } from "../core/errors/index.js";

/** Encoding of a file. `latin1` is read as `windows-1252`, of which it is a part. */
export type TextEncoding = "utf-8" | "utf-16le" | "latin1" | "windows-1252";

/** Turns bytes into text; throws where they are not valid. */
export type Decode = (bytes: Uint8Array) => string;

/** How the bytes of an encoding are decoded. @throws {InvalidInputError} an encoding that is not known */
export function decodeOf(encoding: TextEncoding): Decode {
  switch (encoding) {
    case "utf-8":
    case "utf-16le": {
      // The mark at the beginning is taken off by hand: a decoder would do so at the beginning of every block.
      const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
      return (bytes) => decoder.decode(bytes);
    }
    case "latin1":
    case "windows-1252":
      return decodeWindows1252;
    default:
      throw new InvalidInputError("encoding must be utf-8, utf-16le, latin1 or windows-1252.");
  }
}

/** @throws {InvalidInputError} an encoding that is not known */
export function checkEncoding(encoding: TextEncoding): void {
  decodeOf(encoding);
}

/** What windows-1252 has at 0x80 to 0x9F, where ISO 8859-1 has control characters. */
const WINDOWS_1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ";

/** By hand: Node's own decoder takes windows-1252 for ISO 8859-1 in some versions, and loses the € sign. */
function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return text.replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252.charAt(control.charCodeAt(0) - 0x80));
}
