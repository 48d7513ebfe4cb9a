/** Empty, to measure the base cost of an import. */
export {};
