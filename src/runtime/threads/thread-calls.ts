/**
 * Remote calls between two threads over a message port, or between two processes: method name, arguments, result or error. Both ends can call.
 * It does not know what the methods do, nor whether the other thread died: its owner calls `end`.
 */

import type { Transferable } from 'node:worker_threads'
import { Refusal, type RefusalCode, type RefusalDetails } from '../../core/values/refusal.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { callByName, passOn } from '../../lib/pass-on.js'

/** A type whose properties are all methods. */
export type Methods<T> = { readonly [Name in keyof T]: (...args: never[]) => unknown }

/** The same methods, called from another thread. */
export type Remote<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

type Message =
  /** Calls without an id get no result. */
  | { readonly type: 'call'; readonly id: number | undefined; readonly name: string; readonly args: readonly unknown[] }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly failure: Failure }

/** A port, a thread, or the channel to another process. */
export interface Calls {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** `Theirs`: the methods of the other end. */
export class ThreadCalls<Theirs extends Methods<Theirs>> {
  /** The methods of the other end, to be called like those of an object. */
  readonly methods: Remote<Theirs>
  readonly #port: Calls
  readonly #ours: object | Promise<object>
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  #lastId = 0

  /** `ours`: the methods that the other end may call. Calls wait for those that are still being made. */
  constructor(port: Calls, ours: object | Promise<object>) {
    this.#port = port
    this.#ours = ours
    this.methods = passOn<Remote<Theirs>>((name, args) => this.call(name, args as Parameters<Theirs[typeof name]>))
    port.on('message', (message) => this.#receive(message as Message))
  }

  call<Name extends keyof Theirs & string>(
    name: Name,
    args: Parameters<Theirs[Name]>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      this.#send({ type: 'call', id, name, args }, transfer)
    })
  }

  /** A call without a result. */
  tell<Name extends keyof Theirs & string>(
    name: Name,
    args: Parameters<Theirs[Name]>,
    transfer: readonly Transferable[] = [],
  ): void {
    this.#send({ type: 'call', id: undefined, name, args }, transfer)
  }

  /** Tells the other end to close (worker-host.ts). */
  close(...args: readonly unknown[]): void {
    this.#send({ type: 'call', id: undefined, name: 'close', args })
  }

  /** Rejects all pending calls. */
  end(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }

  #receive(message: Message): void {
    if (message.type === 'call') {
      void this.#answer(message)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.type === 'answer') waiting?.resolve(message.value)
    else waiting?.reject(errorOf(message.failure))
  }

  async #answer({ id, name, args }: Extract<Message, { type: 'call' }>): Promise<void> {
    try {
      // Not always awaited: the last messages of a thread are handled before its end.
      const ours = this.#ours instanceof Promise ? await this.#ours : this.#ours
      const value = await callByName(ours, name, args)
      if (id !== undefined) this.#send({ type: 'answer', id, value })
    } catch (error) {
      if (id === undefined) throw error
      this.#send({ type: 'failed', id, failure: failureOf(error) })
    }
  }

  #send(message: Message, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }
}

/** An error as a message: structured clones lose class, code and details. */
export interface Failure {
  readonly kind: 'refusal' | 'operator' | 'other'
  readonly message: string
  readonly code: string | undefined
  readonly details?: RefusalDetails
}

export function failureOf(error: unknown): Failure {
  const message = messageOf(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (error instanceof Refusal) return { kind: 'refusal', message, code, details: error.details }
  return { kind: error instanceof OperatorError ? 'operator' : 'other', message, code }
}

export function errorOf({ kind, message, code, details }: Failure): Error {
  if (kind === 'refusal') return new Refusal(code as RefusalCode, message, details)
  if (kind === 'operator') return new OperatorError(message)
  return code === undefined ? new Error(message) : Object.assign(new Error(message), { code })
}
