/**
 * Requests that the service sends to its own public address, to see what arrives: whether they reach this very process,
 * and what the proxies in between add. A probe is recognised by a random word that nobody else knows.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const probeHeader = 'x-shortlink-probe'

export interface SeenProbe {
  readonly host: string
  readonly forwardedFor: readonly string[]
}

export class Probes {
  readonly #open = new Map<string, SeenProbe | undefined>()

  /** Sends the probe with `send`, and returns what arrived here; undefined when it did not. */
  async run<Answer>(send: (word: string) => Promise<Answer>): Promise<{ answer: Answer; seen: SeenProbe | undefined }> {
    const word = randomUUID()
    this.#open.set(word, undefined)
    try {
      const answer = await send(word)
      return { answer, seen: this.#open.get(word) }
    } finally {
      this.#open.delete(word)
    }
  }

  arrived({ headers }: Pick<IncomingMessage, 'headers'>): void {
    const word = headers[probeHeader]
    if (typeof word !== 'string' || !this.#open.has(word)) return
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',')
    const forwardedFor = forwarded
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    this.#open.set(word, { host: headers.host ?? '', forwardedFor })
  }
}
