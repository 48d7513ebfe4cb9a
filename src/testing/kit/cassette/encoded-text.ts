const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/**
 * Maps the text inside a value in base64, such as a cursor made of an address, and encodes it again.
 * @returns undefined if it is not such a value, or the text stays as it is
 */
export function mapEncoded(value: string, map: (text: string) => string): string | undefined {
  if (!BASE64.test(value)) return undefined;
  const text = readable(Buffer.from(value, "base64"));
  const mapped = text === undefined ? undefined : map(text);
  if (mapped === undefined || mapped === text) return undefined;
  const isUrlSafe = /[-_]/.test(value);
  const encoded = Buffer.from(mapped).toString(isUrlSafe ? "base64url" : "base64");
  return value.endsWith("=") || value.length % 4 === 0 ? encoded : encoded.replace(/=+$/, "");
}

function readable(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return /\p{Cc}/u.test(text.replace(/[\t\n\r]/g, "")) ? undefined : text;
  } catch {
    return undefined;
  }
}
