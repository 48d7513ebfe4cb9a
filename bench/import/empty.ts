/** Empty: this measures the base cost of an import. */
export {};
