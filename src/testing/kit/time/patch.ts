/** Replaces properties for a while, and puts back exactly what was there. */
export class Patches {
  readonly #undo: (() => void)[] = [];

  /** Replaces a property; its other attributes stay. */
  set<Target extends object>(target: Target, key: keyof Target & string, value: unknown): void {
    const own = Object.getOwnPropertyDescriptor(target, key);
    const { configurable = true, enumerable = true } = own ?? {};
    Object.defineProperty(target, key, { configurable, enumerable, writable: true, value });
    this.#undo.push(() => {
      if (own === undefined) Reflect.deleteProperty(target, key);
      else Object.defineProperty(target, key, own);
    });
  }

  /** Undoes everything, the last first. */
  restore(): void {
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}
