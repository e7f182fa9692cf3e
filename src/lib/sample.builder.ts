/** Makes things for tests: what `usual` says, but for what a test changes. */
export function sampleOf<Thing extends object>(usual: Thing): (changes?: Partial<Thing>) => Thing {
  return (changes = {}) => ({ ...usual, ...changes })
}
