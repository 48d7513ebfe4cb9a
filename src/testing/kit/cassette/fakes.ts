import { createHmac } from "node:crypto";
import type { PersonalKind } from "./personal-fields.js";

const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aeiou";
const DIGITS = "0123456789";
const ID_CHARACTERS = "abcdefghijkmnpqrstuvwxyz23456789";

export const CANARY = /canary-[0-9a-f]{32}/g;

/** Replaces values by fakes of their kind: the same value by the same fake, in the same letter case. */
export class Fakes {
  readonly #known = new Map<string, string>();

  /** @param key Without it, nobody can tell which value a fake stands for, or whether it stands for a guess. */
  constructor(readonly key: Buffer) {}

  personal(kind: PersonalKind, value: string): string {
    return this.#once(`${kind} ${value}`, () => this.#make(kind, value));
  }

  /** An address of a domain that nobody can own. Addresses of one domain stay together. */
  email(address: string): string {
    const at = address.lastIndexOf("@");
    return `${this.personal("login", address.slice(0, at))}@${this.#id("domain", address.slice(at + 1))}.example`;
  }

  canary(secret: string): string {
    return this.#once(
      `secret ${secret}`,
      () => `canary-${this.#digest("secret", secret).toString("hex").slice(0, 32)}`,
    );
  }

  #make(kind: PersonalKind, value: string): string {
    switch (kind) {
      case "name":
        return value.replace(/[\p{L}\p{M}\p{N}'’]+/gu, (word) => likeCase(word, this.#word(word)));
      case "login":
        return likeCase(value, `user-${this.#id(kind, value)}`);
      case "picture":
        return `https://pictures.example/${this.#id(kind, value)}`;
      case "ip":
        return this.#ip(value);
      case "date":
        return this.#date(value);
      case "coordinate":
        return "0";
      case "phone":
        // No country's code begins with 0.
        return this.#alike(kind, value).replace(/^(\D*)\d/, "$10");
      case "text":
        return this.#alike(kind, value);
    }
  }

  #word(word: string): string {
    const bytes = this.#digest("name", word.toLowerCase());
    return [0, 2, 4, 6].map((i) => pick(CONSONANTS, bytes[i]) + pick(VOWELS, bytes[i + 1])).join("");
  }

  #id(kind: string, value: string): string {
    const bytes = this.#digest(kind, value.toLowerCase());
    return Array.from({ length: 10 }, (_, i) => pick(ID_CHARACTERS, bytes[i])).join("");
  }

  #ip(value: string): string {
    return value.replace(/[0-9a-f.:]+/gi, (address) => {
      const bytes = this.#digest("ip", address.toLowerCase());
      if (address.includes(":"))
        return `fd00::${bytes
          .toString("hex")
          .slice(0, 8)
          .replace(/(.{4})/, "$1:")}`;
      return address.includes(".") ? `10.${bytes[0]}.${bytes[1]}.${bytes[2]}` : address;
    });
  }

  #date(value: string): string {
    const bytes = this.#digest("date", value);
    const two = (count: number, byte = 0) => String(1 + (byte % count)).padStart(2, "0");
    return value.replace(
      /\d{4}-\d{2}-\d{2}/,
      `19${two(99, bytes[0])}-${two(12, bytes[1])}-${two(28, bytes[2])}`,
    );
  }

  /** Other letters and digits in the same places. */
  #alike(kind: string, value: string): string {
    const bytes = this.#digest(kind, value.toLowerCase());
    let i = 0;
    return value.replace(/\p{L}|\p{N}/gu, (character) => {
      const byte = bytes[i++ % bytes.length];
      return /\d/.test(character) ? pick(DIGITS, byte) : likeCase(character, pick(CONSONANTS, byte));
    });
  }

  #digest(kind: string, value: string): Buffer {
    return createHmac("sha256", this.key).update(`${kind}\0${value}`).digest();
  }

  #once(key: string, make: () => string): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.#known.set(key, made);
    return made;
  }
}

function pick(characters: string, byte = 0): string {
  return characters.charAt(byte % characters.length);
}

/** The fake of a value in another case must be the fake in that case: connectors fold it. */
function likeCase(value: string, fake: string): string {
  const lower = value.toLowerCase();
  if (value === lower) return fake;
  if (value.length > 1 && value === value.toUpperCase()) return fake.toUpperCase();
  return fake.charAt(0).toUpperCase() + fake.slice(1);
}
