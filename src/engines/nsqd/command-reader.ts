/**
 * Splits bytes into commands: the four bytes that open a connection, then lines, some with a body.
 * It knows where a command ends and its size limits; `execute` knows what it means.
 */
import { magic } from './frames.js'
import { Input } from './input.js'
import { ProtocolError } from './protocol-error.js'

export type Outcome = Answer | Promise<Answer>
export type Answer = string | undefined | WantsBytes

/** The command continues when this many bytes have arrived. */
export interface WantsBytes {
  readonly count: number
  readonly use: (bytes: Buffer) => Outcome
}

export type Step =
  | { readonly what: 'incomplete' | 'greeted' | 'endless' | 'going-on' }
  | { readonly what: 'answered'; readonly answer: string | undefined | Promise<string | undefined> }

type Awaited = { readonly what: 'magic' | 'line' } | { readonly what: 'bytes'; readonly wants: WantsBytes }

export class CommandReader {
  readonly #execute: (line: string) => Outcome
  readonly #input = new Input()
  #awaited: Awaited = { what: 'magic' }
  /** Body bytes already passed to the current command, which may still hold them. */
  #consumed = 0

  constructor(execute: (line: string) => Outcome) {
    this.#execute = execute
  }

  /** Bytes of incomplete commands. */
  get length(): number {
    return this.#input.length + this.#consumed
  }

  push(piece: Buffer): void {
    this.#input.push(piece)
  }

  /** Drops plaintext sent before an upgrade, so that it is never read as sent over TLS (command injection). */
  clear(): void {
    this.#input.clear()
  }

  /** Reads as far as the next event; throws a ProtocolError for invalid input. */
  step(): Step {
    switch (this.#awaited.what) {
      case 'magic':
        return this.#magic()
      case 'line':
        return this.#line()
      case 'bytes':
        return this.#bytes(this.#awaited.wants)
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
    return this.#resume(this.#execute(line))
  }

  #bytes(wants: WantsBytes): Step {
    const bytes = this.#input.bytes(wants.count)
    if (!bytes) return incomplete
    this.#awaited = { what: 'line' }
    this.#consumed += bytes.length
    return this.#resume(wants.use(bytes))
  }

  #resume(outcome: Outcome): Step {
    if (outcome instanceof Promise) return { what: 'answered', answer: outcome.then((answer) => this.#settle(answer)) }
    const answer = this.#settle(outcome)
    return this.#awaited.what === 'bytes' ? { what: 'going-on' } : { what: 'answered', answer }
  }

  /** Returns the response, or undefined when the command needs more bytes. */
  #settle(answer: Answer): string | undefined {
    if (typeof answer === 'object') {
      this.#awaited = { what: 'bytes', wants: answer }
      return undefined
    }
    this.#consumed = 0
    return answer
  }
}

const incomplete: Step = { what: 'incomplete' }
