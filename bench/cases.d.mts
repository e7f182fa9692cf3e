export const cases: readonly string[]
export const long: readonly string[]
export const comparable: readonly string[]
