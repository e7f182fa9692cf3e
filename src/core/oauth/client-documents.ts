/**
 * Applications whose client id is the https URL of a document that describes them
 * (docs/oauth.md#client-id-metadata-documents). Must not know how the document is fetched.
 */
import { RecentMap } from '../../lib/recent-map.js'
import type { AttemptStore } from '../accounts/account-store.js'
import type { Client } from '../accounts/application-store.js'
import { budgetKey } from '../sign-in/sign-in.js'
import { Refusal } from '../values/refusal.js'
import type { Clock } from '../values/time.js'
import { readClientMetadata } from './client-metadata.js'
import { ownerless } from './self-registered.js'

/** One sentence each for the developers of the application: it is shown, so it has no text of theirs. */
export const documentProblems = {
  refused: 'its URL does not lead to a public address',
  unreachable: 'it cannot be reached, or took too long',
  'too-large': 'it is larger than 5 kB',
  'no-document': 'it is not answered with status 200 and a JSON object',
  'another-id': 'its client_id is not the URL that it was fetched from',
  invalid: 'a field is not valid: redirect_uris, client_name, client_uri, scope or token_endpoint_auth_method',
} as const

export type DocumentProblem = keyof typeof documentProblems

export interface DocumentSource {
  /** The text of the document at the URL, without following redirects. */
  fetch(url: string): Promise<{ readonly text: string } | { readonly problem: DocumentProblem }>
}

export interface ClientDocumentDeps {
  readonly source: DocumentSource
  readonly accounts: AttemptStore
  readonly clock: Clock
}

export class ClientDocuments {
  readonly #deps: ClientDocumentDeps
  readonly #known = new RecentMap<string, { readonly client: Client; readonly until: number }>(200)

  constructor(deps: ClientDocumentDeps) {
    this.#deps = deps
  }

  /** Fetched for a signed-in user only, and so often: it must be no way to send requests through this service. */
  async client(url: string, login: string): Promise<Client | DocumentProblem> {
    const { source, accounts, clock } = this.#deps
    const now = clock.now()
    const known = this.#known.get(url)
    if (known && now < known.until && known.until <= now + keptFor) return known.client
    const budget = { key: budgetKey('client documents', login), limit: 30, window: 60 * 60_000 }
    const wait = await accounts.countTry([budget], now)
    if (wait !== undefined) throw new Refusal('RATE_LIMIT_EXCEEDED', 'Too many applications were asked for. Try later.')
    const fetched = await source.fetch(url)
    if ('problem' in fetched) return fetched.problem
    const client = clientIn(fetched.text, url, now)
    if (typeof client !== 'string') this.#known.set(url, { client, until: now + keptFor })
    return client
  }
}

const keptFor = 5 * 60_000

function clientIn(text: string, url: string, at: number): Client | DocumentProblem {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    return 'no-document'
  }
  if (Object(document).client_id !== url) return 'another-id'
  // Who reads the document would know the secret.
  if ('client_secret' in Object(document)) return 'invalid'
  try {
    return { ...ownerless(url, readClientMetadata(document, ['none']), at), isPublic: true, secretHash: '' }
  } catch (error) {
    if (error instanceof Refusal) return 'invalid'
    throw error
  }
}
