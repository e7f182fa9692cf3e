/**
 * One connection: its state, what it has said about itself, and the loop that reads commands and answers them in order.
 * What a command means is in commands.ts; which message it gets is the channel's affair.
 */
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Authorization, Authorize } from './authorization.js'
import type { Block } from './block.js'
import type { Channel, Consumer } from './channel.js'
import { CommandReader, type Outcome, type Step } from './command-reader.js'
import { Credentials } from './credentials.js'
import { type Mistake, notInFlight } from './deliveries.js'
import { FrameType } from './frames.js'
import { Heartbeat } from './heartbeat.js'
import { defaultSettings, type Granted, type Settings } from './identify.js'
import type { Limits, NsqdOptions } from './options.js'
import { Output } from './output.js'
import { ProtocolError } from './protocol-error.js'
import { type TlsFacts, Transport } from './transport.js'

export type ClientState = 'init' | 'subscribed' | 'closing'

/** What a connection asks of the server it belongs to. */
export interface Host {
  readonly limits: Limits
  readonly secureContext: SecureContext | undefined
  readonly tlsRequired: boolean
  readonly authorize: Authorize | undefined
  readonly log: NsqdOptions['log']
  /** Carries out a command line of the client. */
  execute(client: Client, line: string): Outcome
  subscribe(client: Client, topic: string, channel: string): Channel
  publish(topic: string, messages: readonly Buffer[], delay: number): void
  /** The connection is allowed something from now on. */
  admit(client: Client): void
  /** Bodies that are not complete take this much more memory; false when there is none left for them. */
  hold(bytes: number): boolean
  leave(client: Client): void
  failed(error: ProtocolError): void
}

export class Client implements Consumer {
  readonly id: number
  readonly host: Host
  readonly remoteAddress: string
  readonly remotePort: number
  readonly credentials: Credentials
  readonly connectedAt = Date.now()
  readonly publishedTo = new Map<string, number>()
  readonly counts = { messages: 0, finished: 0, requeued: 0 }
  state: ClientState = 'init'
  settings: Settings
  topic: string | undefined
  deflate = false
  inFlight = 0
  ready = 0
  #channel: Channel | undefined
  readonly #transport: Transport
  readonly #output: Output
  readonly #commands = new CommandReader((line) => this.host.execute(this, line))
  #held = 0
  #busy = false
  #ended = false
  readonly #heartbeat: Heartbeat
  readonly #magicTimer: NodeJS.Timeout

  constructor(id: number, socket: Socket, host: Host) {
    this.id = id
    this.host = host
    // A socket that listens on both kinds of addresses writes the older kind into the newer one.
    this.remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    this.remotePort = socket.remotePort ?? 0
    this.credentials = new Credentials(host.authorize, this.remoteAddress)
    this.settings = defaultSettings(host.limits, this.remoteAddress)
    this.#transport = new Transport(socket, {
      onData: (piece) => this.#receive(piece),
      onDrain: () => this.#drained(),
      onEnd: (failure) => this.#leave(failure),
    })
    this.#output = new Output(this.#transport, this.settings.outputBufferSize, this.settings.outputBufferTimeout)
    const transport = this.#transport
    this.#heartbeat = new Heartbeat({
      get unsent() {
        return transport.unsent
      },
      beat: () => this.#beat(),
      lost: () => transport.destroy(),
    })
    this.#magicTimer = setTimeout(() => this.#transport.destroy(), host.limits.handshakeTimeout)
  }

  get tls(): TlsFacts | undefined {
    return this.#transport.tls
  }

  get channel(): Channel | undefined {
    return this.#channel
  }

  get messageTimeout(): number {
    return this.settings.messageTimeout
  }

  get sampleRate(): number {
    return this.settings.sampleRate
  }

  respond(text: string): void {
    this.#output.send(FrameType.response, text)
  }

  use(settings: Settings): void {
    this.settings = settings
    this.#output.set(settings.outputBufferSize, settings.outputBufferTimeout)
    this.#heartbeat.start(settings.heartbeatInterval)
  }

  /** Each layer is greeted through itself. */
  async upgrade(granted: Granted): Promise<undefined> {
    const { secureContext, limits } = this.host
    this.#commands.clear()
    if (granted.tls && secureContext) {
      await this.#transport.upgradeToTls(secureContext, limits.handshakeTimeout).catch((error: unknown) => {
        // No frame can reach the client any more: what it waits for is a handshake.
        this.#transport.destroy(error instanceof Error ? error : undefined)
      })
      this.respond('OK')
    }
    if (granted.deflate && !this.#ended) {
      this.#commands.clear()
      this.#transport.upgradeToDeflate(granted.deflateLevel)
      this.deflate = true
      this.respond('OK')
    }
  }

  /** Asks who this is; whoever is allowed anything is no stranger any more. */
  async authorize(secret?: string): Promise<Authorization> {
    const answer = await this.credentials.ask(secret)
    if (answer.grants.length > 0) this.host.admit(this)
    return answer
  }

  /** A live subscription is looked at again too: nsqd never does, and a revoked secret goes on reading there. */
  async recheck(isGranted: (answer: Authorization) => boolean): Promise<void> {
    try {
      if (!isGranted(await this.authorize())) this.revoke()
    } catch (error) {
      // Whoever was allowed stays allowed while nobody can say otherwise.
      this.credentials.leaveAlone()
      this.host.log?.warn({ err: error }, 'a stream subscription could not be checked again')
    }
  }

  revoke(): void {
    this.fail(new ProtocolError('E_UNAUTHORIZED', 'AUTH revoked'))
  }

  subscribe(topic: string, channel: string): void {
    // It may have left while it was asked about.
    if (this.#ended) return
    this.#channel = this.host.subscribe(this, topic, channel)
    this.topic = topic
    this.state = 'subscribed'
  }

  setReady(count: number): void {
    this.ready = count
    this.#channel?.wake()
  }

  startClosing(): void {
    this.ready = 0
    this.state = 'closing'
  }

  finish(position: number | undefined): Mistake | undefined {
    if (!this.#channel || position === undefined) return notInFlight
    const mistake = this.#channel.finish(this, position)
    if (mistake !== undefined) return mistake
    this.inFlight--
    this.counts.finished++
    return undefined
  }

  requeue(position: number | undefined, delay: number): Mistake | undefined {
    if (!this.#channel || position === undefined) return notInFlight
    const mistake = this.#channel.requeue(this, position, delay)
    if (mistake !== undefined) return mistake
    this.inFlight--
    this.counts.requeued++
    return undefined
  }

  touch(position: number | undefined): Mistake | undefined {
    if (!this.#channel || position === undefined) return notInFlight
    return this.#channel.touch(this, position, this.host.limits.maxMessageTimeout)
  }

  publish(topic: string, messages: readonly Buffer[], delay: number): void {
    this.host.publish(topic, messages, delay)
    this.publishedTo.set(topic, (this.publishedTo.get(topic) ?? 0) + messages.length)
  }

  wantsMessages(): boolean {
    return (
      this.state === 'subscribed' &&
      this.inFlight < this.ready &&
      !this.#ended &&
      this.#output.unsent < this.host.limits.maxUnsent
    )
  }

  deliver(block: Block, position: number, attempts: number): void {
    this.inFlight++
    this.counts.messages++
    this.#output.message(block, position, attempts)
  }

  timedOut(): void {
    this.inFlight--
  }

  rest(): void {
    if (this.inFlight < this.ready) this.#output.rest()
    else this.#output.flush()
  }

  drop(): void {
    this.#output.flush()
    this.#end()
  }

  /** Says why, and closes when there is no going on. */
  fail(error: ProtocolError): void {
    if (this.#ended) return
    this.host.failed(error)
    this.host.log?.debug({ client: this.id, err: error }, 'a stream client was refused something')
    this.#output.send(FrameType.error, error.message)
    if (error.fatal) this.#end()
  }

  destroy(): void {
    this.#transport.destroy()
  }

  #receive(piece: Buffer): void {
    this.#commands.push(piece)
    this.#work()
  }

  #drained(): void {
    if (this.#ended) return
    this.#channel?.wake()
    if (this.#busy) return
    this.#transport.resume()
    this.#work()
  }

  /** One command after the other, until bytes are missing, an answer takes time, or the client does not read answers. */
  #work(): void {
    while (!this.#busy && !this.#ended) {
      try {
        if (!this.#step()) break
      } catch (error) {
        this.#refuse(error)
      }
      if (this.#output.unsent > 4 * this.host.limits.maxUnsent) {
        this.#transport.pause()
        break
      }
    }
    this.#account()
  }

  /** False when there is nothing to go on with. */
  #step(): boolean {
    const step: Step = this.#commands.step()
    switch (step.what) {
      case 'incomplete':
        return false
      case 'endless':
        // As nsqd: no frame, there may not even be a command.
        this.#transport.destroy()
        return false
      case 'greeted':
        clearTimeout(this.#magicTimer)
        if (!this.host.authorize) this.host.admit(this)
        this.#heartbeat.start(this.settings.heartbeatInterval)
        return true
      case 'answered':
        this.#heartbeat.heard()
        if (typeof step.answer === 'string') this.respond(step.answer)
        else if (step.answer) this.#wait(step.answer)
        return true
      case 'going-on':
        return true
    }
  }

  /** Nothing is read meanwhile: answers come in the order of the commands. */
  #wait(answer: Promise<string | undefined>): void {
    this.#busy = true
    this.#transport.pause()
    answer
      .then((text) => {
        if (text !== undefined && !this.#ended) this.respond(text)
      })
      .catch((error: unknown) => this.#refuse(error))
      .finally(() => {
        this.#busy = false
        if (this.#ended) return
        this.#transport.resume()
        this.#work()
      })
  }

  #refuse(error: unknown): void {
    if (this.#ended) return
    this.#heartbeat.heard()
    if (error instanceof ProtocolError) {
      if (error.cause !== undefined) this.host.log?.warn({ err: error.cause }, 'a stream command failed')
      this.fail(error)
      return
    }
    this.host.log?.error({ err: error }, 'a stream client was closed because of a mistake of ours')
    this.#transport.destroy()
  }

  /** Many connections with large bodies that never end would fill the memory, whatever the limit of each. */
  #account(): void {
    const held = this.#ended ? 0 : this.#commands.length
    const change = held - this.#held
    this.#held = held
    if (!this.host.hold(change) && change > 0 && held > freeInput) this.#transport.destroy()
  }

  #beat(): void {
    // Some clients take whatever comes first after AUTH for its answer, so nothing else is sent before that.
    const shakingHands = this.#busy || (this.host.authorize !== undefined && !this.credentials.answer)
    if (!shakingHands && this.#output.unsent < this.host.limits.maxUnsent) this.respond('_heartbeat_')
  }

  #end(): void {
    this.#transport.end()
    this.#leave(undefined)
  }

  #leave(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    if (failure) this.host.log?.debug({ client: this.id, err: failure }, 'a stream connection broke')
    this.#heartbeat.stop()
    clearTimeout(this.#magicTimer)
    this.#output.close()
    this.#commands.clear()
    this.#account()
    this.host.leave(this)
  }
}

/** Commands are short: this much is never counted against anybody. */
const freeInput = 16 * 1024
