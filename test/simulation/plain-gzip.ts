import { syncBuiltinESMExports } from "node:module";
import { PassThrough } from "node:stream";
import zlib from "node:zlib";

/** Compresses nothing: threads that do would end in turns that are not the simulation's. */
export function withoutCompression(): () => void {
  const { createGzip, createGunzip } = zlib;
  const plain = () => new PassThrough();
  replace(plain, plain);
  return () => replace(createGzip, createGunzip);
}

function replace(createGzip: unknown, createGunzip: unknown): void {
  for (const [name, value] of Object.entries({ createGzip, createGunzip }))
    Object.defineProperty(zlib, name, { value, configurable: true, enumerable: true });
  syncBuiltinESMExports();
}
