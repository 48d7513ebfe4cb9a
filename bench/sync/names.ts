/** `ascii` strings, or `mixed` ones that resemble names from many countries. */
export type TextKind = "ascii" | "mixed";

/** The string values of one record. */
export interface Names {
  readonly first: string;
  readonly last: string;
  readonly title: string;
  readonly department: string;
  readonly product: string;
}

const ASCII: readonly Names[] = [
  { first: "Grace", last: "Hopper", title: "Rear Admiral", department: "Compilers", product: "Office Suite" },
  { first: "Margaret", last: "Hamilton", title: "Director", department: "Flight", product: "Task Tracker" },
  { first: "Alan", last: "Turing", title: "Cryptanalyst", department: "Hut Eight", product: "Video Calls" },
  { first: "Katherine", last: "Johnson", title: "Analyst", department: "Orbits", product: "Design Board" },
];

/** Of five people, two have ASCII names, one has accents, one uses Han or kana, and one has an emoji somewhere. */
const MIXED: readonly Names[] = [
  { first: "Grace", last: "Hopper", title: "Rear Admiral", department: "Compilers", product: "Office Suite" },
  { first: "José", last: "Muñoz Núñez", title: "Développeur", department: "Qualität", product: "Büro-Paket" },
  { first: "美咲", last: "佐藤", title: "開発部長", department: "製品開発", product: "会議アプリ" },
  {
    first: "Alan",
    last: "Turing",
    title: "Cryptanalyst 🔐",
    department: "Hut Eight",
    product: "Video Calls 🎥",
  },
  { first: "Katherine", last: "Johnson", title: "Analyst", department: "Orbits", product: "Design Board" },
];

/** The string values of the record with this number. */
export function namesOf(text: TextKind, i: number): Names {
  const names = text === "ascii" ? ASCII : MIXED;
  const chosen = names[i % names.length];
  if (chosen === undefined) throw new Error("There are no names.");
  return chosen;
}
