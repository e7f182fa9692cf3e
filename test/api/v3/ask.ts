import type { Answer, StartedApp } from '../../support/start-app.js'

/** Query arguments: lists repeat their name, raw text is sent unchanged. */
export type Query = string | Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface Envelope {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any
  readonly status_code: number
  readonly status_txt: string
}

/** Sends a v3 request like old clients: everything in the query, nothing in headers. A token of null sends none. */
export function asking(started: StartedApp) {
  const ask = (path: string, query: Query = {}, token: string | null = started.token): Promise<Answer> =>
    started.request('GET', `/v3/${path}?${written(query, token)}`, { token: null })

  return {
    ask,
    /** The envelope of a JSON response. */
    async get(path: string, query: Query = {}, token?: string | null): Promise<Envelope> {
      const { status, body } = await ask(path, query, token)
      if (status !== 200) throw new Error(`HTTP status ${status}`)
      return body
    },
    /** The data of a successful response. */
    async data(path: string, query: Query = {}, token?: string) {
      const { body } = await ask(path, query, token)
      if (body.status_txt !== 'OK') throw new Error(`${path}: ${body.status_txt}`)
      return body.data
    },
    /** The status of an error response. */
    async refusal(path: string, query: Query = {}, token?: string | null): Promise<string> {
      const { status, body } = await ask(path, query, token)
      return `${status} ${body.status_code} ${body.status_txt}${body.data === null ? '' : ' with data'}`
    },
  }
}

export function written(query: Query, token: string | null): string {
  const access = token === null ? '' : `access_token=${token}&`
  if (typeof query === 'string') return access + query
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`),
  )
  return access + pairs.join('&')
}
