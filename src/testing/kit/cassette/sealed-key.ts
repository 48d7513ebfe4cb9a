import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { promisify } from "node:util";

const ALGORITHM = "aes-256-gcm";
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Each takes about 50 ms to try. */
const MAX_SEALS = 4;

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/**
 * Seals the key of a cassette's fakes with each credential of the vendor: who can open it can ask the vendor itself. A
 * password that could be guessed seals nothing.
 */
export async function sealKey(key: Buffer, credentials: Iterable<string>): Promise<readonly string[]> {
  const strong = [...credentials].filter(isStrong).slice(0, MAX_SEALS);
  return Promise.all(
    strong.map(async (credential) => {
      const salt = randomBytes(SALT_BYTES);
      const cipher = createCipheriv(ALGORITHM, ...(await keyOf(credential, salt)));
      const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
      return Buffer.concat([salt, cipher.getAuthTag(), sealed]).toString("base64");
    }),
  );
}

/** @returns undefined if no credential opens it */
export async function openKey(
  sealedKeys: readonly string[],
  credentials: Iterable<string>,
): Promise<Buffer | undefined> {
  const strong = [...credentials].filter(isStrong);
  for (const sealed of sealedKeys) {
    for (const credential of strong) {
      const key = await open(Buffer.from(sealed, "base64"), credential);
      if (key !== undefined) return key;
    }
  }
  return undefined;
}

async function open(sealed: Buffer, credential: string): Promise<Buffer | undefined> {
  const salt = sealed.subarray(0, SALT_BYTES);
  const decipher = createDecipheriv(ALGORITHM, ...(await keyOf(credential, salt)));
  try {
    decipher.setAuthTag(sealed.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(SALT_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}

async function keyOf(credential: string, salt: Buffer): Promise<[key: Buffer, iv: Buffer]> {
  const bytes = await derive(credential, salt, KEY_BYTES + IV_BYTES);
  return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
}

/** Long and random, as vendors make their keys. User and password in base64 look so, and are not. */
function isStrong(credential: string): boolean {
  const looksRandom =
    /^[\w.~+/=-]{24,}$/.test(credential) && /\d/.test(credential) && /[a-z]/i.test(credential);
  return (
    looksRandom &&
    new Set(credential).size >= 12 &&
    !Buffer.from(credential, "base64").toString().includes(":")
  );
}
