/** ENGINES=sqlite,postgres narrows which engines the store tests run on; without it, all of them. */
export function enginesWanted(): ReadonlySet<EngineName> {
  const wish = process.env.ENGINES
  if (wish === undefined || wish === '') return new Set(engineNames)
  const names = wish.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !engineNames.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`ENGINES names ${unknown.join(', ')}; known are ${engineNames.join(', ')}`)
  return new Set(engineNames.filter((name) => names.includes(name)))
}

export const engineNames = ['sqlite', 'postgres'] as const

export type EngineName = (typeof engineNames)[number]
