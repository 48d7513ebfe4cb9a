import { createHash, randomInt, randomUUID } from "node:crypto";

const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aeiou";
const HEX_LETTERS = "abcdef";
const MOST_TRIES = 50;

const ISO_TIME =
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\p{L}\p{N}])/u;
const HTTP_TIME = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iu;
const WORD = /[\p{L}\p{M}\p{N}]+/u;
/** Matches any text in linear time: each alternative has a maximum length or is one class of characters. */
const TOKEN = new RegExp(`(${ISO_TIME.source})|(${UUID.source})|${WORD.source}`, "giu");
const WHOLE_TIME = new RegExp(`^${ISO_TIME.source}$`, "u");
/** Longer numbers may be phone numbers, card numbers or one-time passwords. */
const SHORT_NUMBER = /^-?\d{1,5}(?:\.\d{1,12})?$/;
/** An integer in JSON that a JavaScript number can't hold. */
const EXACT_NUMBER = /^#number:-?\d+$/;

export function isTime(text: string): boolean {
  return WHOLE_TIME.test(text) || HTTP_TIME.test(text);
}

/** Numbers, booleans and times identify no one, and connectors compute with them. */
export function isPlain(text: string): boolean {
  return (
    text === "" ||
    SHORT_NUMBER.test(text) ||
    EXACT_NUMBER.test(text) ||
    /^(?:true|false|null)$/i.test(text) ||
    isTime(text)
  );
}

/** The words of a text, in lower case and without times. */
export function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(TOKEN)].flatMap(([word, time]) =>
    time === undefined ? [word.toLowerCase()] : [],
  );
}

export const OWN = /own-[0-9a-f]{5}/;

/** Stands for a string that the connector sends. A tag's 20 bits tell strings apart, but can't reveal one. */
export function ownTag(salt: string, text: string): string {
  const steady = text.replace(TOKEN, (word, time, uuid) => ((time ?? uuid) === undefined ? word : "*"));
  return `own-${createHash("sha256").update(`${salt} ${steady}`).digest("hex").slice(0, 5)}`;
}

/**
 * Replaces texts word by word: equal words get equal fakes of the same length, form and letter case. Names still match
 * their e-mail addresses, and ids match their links. The text between the words is kept.
 */
export class Fakes {
  /** Fakes by word, in lower case. */
  readonly #known = new Map<string, string>();
  readonly #used = new Set<string>();

  text(text: string, isReplaced: (word: string) => boolean = () => true): string {
    return text.replace(TOKEN, (word, time) =>
      time === undefined && isReplaced(word.toLowerCase()) ? this.#word(word) : word,
    );
  }

  has(word: string): boolean {
    return this.#known.has(word);
  }

  #word(word: string): string {
    const lower = word.toLowerCase();
    let fake = this.#known.get(lower);
    if (fake === undefined) {
      fake = this.#make(lower);
      this.#known.set(lower, fake);
      this.#used.add(fake);
    }
    const letters = [...word];
    // A word has the same fake in any letter case, because connectors may ignore case when they compare.
    return [...fake].map((letter, i) => (isUpper(letters[i] ?? "") ? letter.toUpperCase() : letter)).join("");
  }

  #make(word: string): string {
    if (word.includes("-")) return randomUUID();
    for (let tries = 0; ; tries += 1) {
      // There may be more words of a length than fakes of that length, for example with Chinese names.
      const fake = likeness(word) + likeness(word).slice(0, Math.floor(tries / MOST_TRIES));
      if (!this.#used.has(fake) && (fake !== word || tries > MOST_TRIES)) return fake;
    }
  }
}

function likeness(word: string): string {
  const isHex = /^[0-9a-f]+$/.test(word) && /\d/.test(word) && word.length >= 6;
  return [...word]
    .map((character, i) => {
      if (/\p{N}/u.test(character))
        return `${i === 0 && character !== "0" ? 1 + randomInt(9) : randomInt(10)}`;
      return pick(isHex ? HEX_LETTERS : i % 2 === 0 ? CONSONANTS : VOWELS);
    })
    .join("");
}

function isUpper(letter: string): boolean {
  return letter !== letter.toLowerCase();
}

function pick(characters: string): string {
  return characters.charAt(randomInt(characters.length));
}
