/** Of the variants of a oneof exactly one is set. */
export function exactlyOne(...variants: readonly unknown[]): boolean {
  let set = 0;
  for (const variant of variants) if (variant !== undefined) set += 1;
  return set === 1;
}

/** Of groups of fields one is complete, and none half-filled. */
export function completeGroups(...groups: readonly (readonly unknown[])[]): boolean {
  let complete = 0;
  for (const group of groups) {
    const set = group.filter((value) => value !== undefined).length;
    if (set === group.length) complete += 1;
    else if (set > 0) return false;
  }
  return complete > 0;
}
