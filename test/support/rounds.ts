/** Tests that kill, wait, or try random values do so this many times as often: ROUNDS=20 before a release. */
export const rounds = Number(process.env.ROUNDS ?? 1)
