/** Counts from one number up to before another. */
function range<T>(from: number, to: number, make: (i: number) => T): T[] {
  return Array.from({ length: to - from }, (_, i) => make(from + i));
}

/** Employees with an e-mail address, a manager and a department. */
export function employees(from: number, to: number, more: (i: number) => object = () => ({})) {
  return range(from, to, (i) => ({
    id: `e-${i}`,
    fullName: `Employee ${i}`,
    email: `e${i}@example.com`,
    active: true,
    managerId: `e-${i % 10}`,
    departmentPath: ["company", `department ${i % 5}`],
    ...more(i),
  }));
}

export function groups(from: number, to: number) {
  return range(from, to, (i) => ({ id: `g-${i}`, name: `group ${i}`, description: `about ${i}` }));
}

export function devices(from: number, to: number, more: (i: number) => object = () => ({})) {
  return range(from, to, (i) => ({
    id: `d-${i}`,
    name: `device ${i}`,
    serialNumber: `s-${i}`,
    sourceOwnerId: `e-${i}`,
    ...more(i),
  }));
}

/** Each of so many people is a member of one group. */
export function members(from: number, to: number, group = "g-1") {
  return range(from, to, (i) => ({ id: `${group}/${i}`, sourceGroupId: group, sourceMemberId: `e-${i}` }));
}

export function licenses(from: number, to: number, more: (i: number) => object = () => ({})) {
  return range(from, to, (i) => ({
    sourceId: `l-${i}`,
    sourceAccountId: `né-${i}`,
    sourcePlanId: "basic",
    billable: true,
    ...more(i),
  }));
}

export function plans(...ids: readonly string[]) {
  return ids.map((id) => ({
    id,
    externalPlanName: `plan ${id}`,
    details: { model: "SEAT_BASED" as const, seatBased: {} },
  }));
}
