import { employee, license, plan } from "../../../support/records.js";

/** Makes an item for each number from `from` up to, but not including, `to`. */
function range<T>(from: number, to: number, make: (i: number) => T): T[] {
  return Array.from({ length: to - from }, (_, i) => make(from + i));
}

/** Employees with an e-mail address, a manager and a department. */
export function employees(from: number, to: number, more: (i: number) => object = () => ({})) {
  return range(from, to, (i) => ({
    ...employee(`e-${i}`, `e-${i % 10}`),
    fullName: `Employee ${i}`,
    email: `e${i}@example.com`,
    active: true,
    departmentPath: ["company", `department ${i % 5}`],
    ...more(i),
  }));
}

export function licenses(from: number, to: number, more: (i: number) => object = () => ({})) {
  return range(from, to, (i) => ({ ...license(`l-${i}`, `né-${i}`, "basic"), ...more(i) }));
}

export function plans(...ids: readonly string[]) {
  return ids.map((id) => plan(id, `plan ${id}`));
}
