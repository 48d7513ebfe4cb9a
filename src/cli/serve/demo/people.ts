/** The employees of the demo company. They are made of lists, so that they are the same at each start. */
const FIRST =
  "Mareike Jonas Grace Fabian Zdeňka Żaneta Amara Luca Ingrid Tomasz Noor Émile Sofia Henrik Yuki Carmen Oskar Leila Piotr Anneli".split(
    " ",
  );
const LAST =
  "Schröder Strauß Washington Zimmermann Němec Świątek Okafor Ferrari Lindqvist Kowalski Haddad Lefèvre Rossi Dahl Tanaka Vega".split(
    " ",
  );
const DIVISIONS = [
  ["Research & Development", "Engineer"],
  ["Sales", "Account Manager"],
  ["Operations", "Planner"],
  ["Marketing", "Designer"],
  ["Finance", "Controller"],
] as const;
const LEFT_EVERY = 23;

/** Somebody who works at the demo company, or has left it. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly division: string;
  readonly jobTitle: string;
  readonly active: boolean;
}

export function people(count: number): readonly Person[] {
  return Array.from({ length: count }, (_, i) => {
    const first = FIRST[i % FIRST.length] ?? "";
    const last = LAST[Math.floor(i / FIRST.length) % LAST.length] ?? "";
    const [division, jobTitle] = DIVISIONS[(i * 7) % DIVISIONS.length] ?? DIVISIONS[0];
    const id = `P${10_011 + i}`;
    const name = `${first} ${last}`;
    const mailbox = name
      .toLowerCase()
      .replaceAll("ß", "ss")
      .normalize("NFD")
      .replace(/[^a-z ]/g, "");
    const email = `${mailbox.replace(" ", ".")}@polarvik.example`;
    return { id, name, email, division, jobTitle, active: i % LEFT_EVERY !== LEFT_EVERY - 1 };
  });
}
