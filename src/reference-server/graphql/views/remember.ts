/** `make`, except that it is not called again for the arguments that it was called with last. */
export function rememberLast<A extends readonly unknown[], T>(make: (...args: A) => T): (...args: A) => T {
  let last: { readonly args: A; readonly value: T } | undefined;
  return (...args) => {
    if (last === undefined || !areSame(last.args, args)) last = { args, value: make(...args) };
    return last.value;
  };
}

function areSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((argument, index) => argument === b[index]);
}

/** `make`, except that it is called once for each object, for as long as that is in use. */
export function rememberEach<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, V>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    values.set(key, value);
    return value;
  };
}
