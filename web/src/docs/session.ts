/** Apart from api/client.ts, whose code this page would share with the dashboard, and split its first load. */
export interface Session {
  readonly login: string
  readonly csrf: string
}

export async function currentSession(): Promise<Session | undefined> {
  const response = await fetch('/account/session', { headers: { accept: 'application/json' } })
  return response.ok ? ((await response.json()) as Session) : undefined
}

export async function fetchOwn<Data>(path: string, { csrf }: Session): Promise<Data> {
  const response = await fetch(path, { headers: { 'x-csrf-token': csrf } })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return (await response.json()) as Data
}
