/**
 * ENGINES=sqlite,postgres,duckdb,clickhouse narrows which engines the tests run on; without it, all of them. Of a kind
 * that it does not mention (records, clicks), all too: ENGINES=sqlite leaves the click logs alone.
 */
export function enginesWanted(): ReadonlySet<EngineName> {
  const input = process.env.ENGINES ?? ''
  const names = input.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => name !== '' && !allNames.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`ENGINES names ${unknown.join(', ')}; known are ${allNames.join(', ')}`)
  const wanted = (kind: readonly EngineName[]) => {
    const mentioned = kind.filter((name) => names.includes(name))
    return mentioned.length > 0 ? mentioned : kind
  }
  return new Set([...wanted(engineNames), ...wanted(clickLogNames)])
}

/** Of records. */
export const engineNames = ['sqlite', 'postgres'] as const
const clickLogNames = ['duckdb', 'clickhouse'] as const
const allNames = [...engineNames, ...clickLogNames]

export type EngineName = (typeof allNames)[number]
