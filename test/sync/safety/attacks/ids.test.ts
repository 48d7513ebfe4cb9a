import { attack, held, INVALID, people, person, renamed, send, testAttacks } from "./attacks.js";

const renamings: readonly (readonly [name: string, idOf: (id: string, i: number) => string])[] = [
  ["ids are upper-cased", (id) => id.toUpperCase()],
  ["ids get a prefix", (id) => `vendor:${id}`],
  ["e-mail addresses replace ids", (_, i) => person(i).email],
  ["numbers are formatted differently (`1` becomes `1.0`)", (id) => `${id}.0`],
  ["ids have another Unicode form", (id) => id.normalize("NFD")],
  ["ids are no longer trimmed", (id) => `${id} `],
];

testAttacks([
  ...renamings.map(([name, idOf]) =>
    attack(name, held({ known: 40, sent: 40, removed: 40 }), (service) => send(service, renamed(idOf))),
  ),
  attack("all ids are equal, and so are the contents", held({ known: 40, sent: 1, removed: 40 }), (service) =>
    send(
      service,
      people().map(() => ({ id: "undefined" })),
    ),
  ),
  attack("an option of the guard is misspelled", INVALID, (service) =>
    send(service, people(0, 20), { guard: { removed: { min: 3, ...{ maxx: 5 } } } }),
  ),
]);
