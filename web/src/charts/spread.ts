const roomOfLabel = 110

/** As many labels as there is room for, evenly. */
export function spread(indexes: readonly number[], width: number): readonly number[] {
  const step = Math.ceil(indexes.length / Math.max(2, width / roomOfLabel))
  return indexes.filter((_, place) => place % step === 0)
}
