/**
 * The server to connect to. Of a URL with several hosts it is the primary, the one that accepts writes; after a failover that
 * is another host. The driver knows URLs with one host only.
 */
import { Client } from 'pg'
import { hostsOf, urlPerHost } from '../../lib/url-per-host.js'
import { reasonOf } from './postgres-pool.js'

export class PostgresPrimary {
  readonly #urls: readonly string[]
  #current = 0

  constructor(url: string) {
    this.#urls = urlPerHost(url)
  }

  /** Where it was last. */
  get url(): string {
    return this.#urls[this.#current] ?? ''
  }

  /** With one host nobody is asked. */
  async locate(): Promise<void> {
    if (this.#urls.length > 1) await this.find()
  }

  /** Asks where it was last, then the other hosts. Returns whether it has moved; rejects if no host is the primary. */
  async find(): Promise<boolean> {
    const failures: string[] = []
    for (let step = 0; step < this.#urls.length; step++) {
      const index = (this.#current + step) % this.#urls.length
      const url = this.#urls[index] ?? ''
      try {
        await ask(url, this.#urls.length > 1)
        this.#current = index
        return step > 0
      } catch (error) {
        failures.push(this.#urls.length > 1 ? `${hostsOf(url)}: ${reasonOf(error)}` : reasonOf(error))
      }
    }
    throw new Error(failures.join('; '))
  }
}

/** For those who connect once. */
export async function primaryUrl(url: string): Promise<string> {
  const primary = new PostgresPrimary(url)
  await primary.locate()
  return primary.url
}

/** On a new connection: an old one may be dead although the server is well. */
async function ask(url: string, mustWrite: boolean): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'shortlink probe',
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<Answer>(mustWrite ? 'show transaction_read_only' : 'select 1')
    if (rows[0]?.transaction_read_only === 'on') throw new Error('it is read-only, as a standby is')
  } catch (error) {
    const silent = error instanceof Error && /^(timeout expired|Query read timeout)$/.test(error.message)
    throw silent ? new Error('it does not answer in time') : error
  } finally {
    // Not awaited: a server that is silent does not close the connection.
    void client.end().catch(() => {})
  }
}

interface Answer {
  readonly transaction_read_only?: string
}

const timeout = 2000
