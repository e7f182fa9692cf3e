/**
 * From bytes to commands: the four bytes that open a connection, then lines, some of them with a body. It knows where one
 * command ends and the next begins, and how large it may be; what it means is found out by `execute`.
 */
import { magic } from './frames.js'
import { Input } from './input.js'
import { ProtocolError } from './protocol-error.js'

export type Outcome = Answer | Promise<Answer>
export type Answer = string | undefined | WantsBytes

/** The command goes on once so many bytes are there. */
export interface WantsBytes {
  readonly count: number
  readonly use: (bytes: Buffer) => Outcome
}

/** What became of the bytes that are there. */
export type Step =
  | { readonly what: 'incomplete' | 'greeted' | 'endless' | 'going-on' }
  | { readonly what: 'answered'; readonly answer: string | undefined | Promise<string | undefined> }

type Awaited = { readonly what: 'magic' | 'line' } | { readonly what: 'bytes'; readonly wants: WantsBytes }

export class CommandReader {
  readonly #execute: (line: string) => Outcome
  readonly #input = new Input()
  #awaited: Awaited = { what: 'magic' }
  /** Bytes that the command under way has been given; it may keep them until it has all. */
  #given = 0

  constructor(execute: (line: string) => Outcome) {
    this.#execute = execute
  }

  /** Bytes that belong to a command that is not complete. */
  get length(): number {
    return this.#input.length + this.#given
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
    return this.#goOn(this.#execute(line))
  }

  #bytes(wants: WantsBytes): Step {
    const bytes = this.#input.bytes(wants.count)
    if (!bytes) return incomplete
    this.#awaited = { what: 'line' }
    this.#given += bytes.length
    return this.#goOn(wants.use(bytes))
  }

  #goOn(outcome: Outcome): Step {
    if (outcome instanceof Promise) return { what: 'answered', answer: outcome.then((answer) => this.#settle(answer)) }
    const answer = this.#settle(outcome)
    return this.#awaited.what === 'bytes' ? { what: 'going-on' } : { what: 'answered', answer }
  }

  /** The text to answer with, unless the command wants more bytes first. */
  #settle(answer: Answer): string | undefined {
    if (typeof answer === 'object') {
      this.#awaited = { what: 'bytes', wants: answer }
      return undefined
    }
    this.#given = 0
    return answer
  }
}

const incomplete: Step = { what: 'incomplete' }
