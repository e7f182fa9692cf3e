import type { StartedApp } from '../support/start-app.js'

/** What the tests look at in a message. */
export interface Received {
  readonly event_id: string
  readonly h: string
}

/** Allows the first organization to read the stream, and makes a link that can be clicked. */
export async function allowed(started: StartedApp): Promise<{ topic: string; link: string }> {
  const { body: group } = await started.request('GET', `/v4/groups/${started.groupGuid}`)
  const organization = group.organization_guid as string
  const { status } = await started.request('PUT', `/v4/organizations/${organization}/stream_access`)
  if (status !== 200) throw new Error(`access to the stream was answered with ${status}`)
  const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/streamed' } })
  return { topic: `clicks.${organization}`, link: `/${String(body.id).split('/')[1]}` }
}

export async function clicksOn(started: StartedApp, link: string, count: number): Promise<void> {
  for (let click = 0; click < count; click++) {
    const { status } = await started.request('GET', link, { token: null, headers: { 'user-agent': browser } })
    if (status !== 301) throw new Error(`a click was answered with ${status}`)
  }
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
