/**
 * From bytes to commands: the four bytes that open a connection, then lines, some of them with a body. It knows where one
 * command ends and the next begins, and how large it may be; what it means is found out by `execute`.
 */

import type { Client } from './client.js'
import { execute, type WantsBody } from './commands.js'
import { magic } from './frames.js'
import { Input } from './input.js'
import { ProtocolError } from './protocol-error.js'

/** What became of the bytes that are there. */
export type Step =
  | { readonly what: 'incomplete' | 'greeted' | 'endless' | 'going-on' }
  | { readonly what: 'answered'; readonly answer: string | undefined | Promise<string | undefined> }

type Awaited =
  | { readonly what: 'magic' | 'line' }
  | { readonly what: 'size'; readonly wants: WantsBody }
  | { readonly what: 'body'; readonly wants: WantsBody; readonly size: number }

export class CommandReader {
  readonly #client: Client
  readonly #input = new Input()
  #awaited: Awaited = { what: 'magic' }

  constructor(client: Client) {
    this.#client = client
  }

  /** Bytes that belong to a command that is not complete. */
  get length(): number {
    return this.#input.length
  }

  push(piece: Buffer): void {
    this.#input.push(piece)
  }

  /** What was sent in clear must never be taken for something said after an upgrade. */
  clear(): void {
    this.#input.clear()
  }

  /** Goes as far as the next thing that matters; throws when the client is wrong. */
  step(): Step {
    switch (this.#awaited.what) {
      case 'magic':
        return this.#magic()
      case 'line':
        return this.#line()
      case 'size':
        return this.#size(this.#awaited.wants)
      case 'body':
        return this.#body(this.#awaited.wants, this.#awaited.size)
    }
  }

  #magic(): Step {
    const bytes = this.#input.bytes(magic.length)
    if (!bytes) return incomplete
    if (bytes.toString('latin1') !== magic) throw new ProtocolError('E_BAD_PROTOCOL')
    this.#awaited = { what: 'line' }
    return { what: 'greeted' }
  }

  #line(): Step {
    const line = this.#input.line()
    if (line === undefined) return incomplete
    if (line === 'too-long') return { what: 'endless' }
    const outcome = execute(this.#client, line)
    if (!isBodyWanted(outcome)) return { what: 'answered', answer: outcome }
    this.#awaited = { what: 'size', wants: outcome }
    return { what: 'going-on' }
  }

  #size(wants: WantsBody): Step {
    const size = this.#input.size()
    if (size === undefined) return incomplete
    if (size <= 0 || size > wants.limit) throw wants.refuse(size)
    this.#awaited = { what: 'body', wants, size }
    return { what: 'going-on' }
  }

  #body(wants: WantsBody, size: number): Step {
    const body = this.#input.bytes(size)
    if (!body) return incomplete
    this.#awaited = { what: 'line' }
    return { what: 'answered', answer: wants.use(body) }
  }
}

const incomplete: Step = { what: 'incomplete' }

function isBodyWanted(outcome: ReturnType<typeof execute>): outcome is WantsBody {
  return typeof outcome === 'object' && !(outcome instanceof Promise)
}
