/**
 * One connection: its state, its settings, and the loop that reads commands and answers them in order.
 * commands.ts knows what a command means; the channel decides which messages to deliver.
 */
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type Authorization, type Authorize, Credentials } from './authorization.js'
import type { Block } from './block.js'
import type { Channel, Consumer } from './channel.js'
import { CommandReader, type Outcome, type Step } from './command-reader.js'
import { type DeliveryError, notInFlight } from './deliveries.js'
import { FrameType } from './frames.js'
import { Heartbeat } from './heartbeat.js'
import { defaultSettings, type Granted, type Settings } from './identify.js'
import type { Limits, NsqdOptions } from './options.js'
import { Output } from './output.js'
import { ProtocolError } from './protocol-error.js'
import { type TlsFacts, Transport } from './transport.js'

export type ClientState = 'init' | 'subscribed' | 'closing'

/** What a connection needs from the server. */
export interface Host {
  readonly limits: Limits
  readonly authorize: Authorize | undefined
  readonly log: NsqdOptions['log']
  execute(client: Client, line: string): Outcome
  subscribe(client: Client, topic: string, channel: string): Channel
  publish(topic: string, messages: readonly Buffer[], delay: number): void
  /** The connection has a permission now and no longer counts as unauthenticated. */
  admit(client: Client): void
  /**
   * Adds bytes of incomplete commands to the total over all connections. Returns false when the total exceeds the
   * limit.
   */
  hold(bytes: number): boolean
  leave(client: Client): void
  failed(error: ProtocolError): void
}

/** What a port offers. */
export interface Listener {
  /** TLS is not offered without it. */
  readonly secureContext: SecureContext | undefined
  readonly tlsRequired: boolean
}

export class Client implements Consumer {
  readonly id: number
  readonly host: Host
  readonly listener: Listener
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
  #heldBytes = 0
  #busy = false
  #ended = false
  readonly #heartbeat: Heartbeat
  readonly #magicTimer: NodeJS.Timeout

  constructor(id: number, socket: Socket, host: Host, listener: Listener) {
    this.id = id
    this.host = host
    this.listener = listener
    // A dual-stack socket reports IPv4 clients as ::ffff:1.2.3.4.
    this.remoteAddress = (socket.remoteAddress ?? '').replace(/^::ffff:/, '')
    this.remotePort = socket.remotePort ?? 0
    this.credentials = new Credentials(host.authorize, this.remoteAddress)
    this.settings = defaultSettings(host.limits, this.remoteAddress)
    this.#transport = new Transport(socket, {
      onData: (piece) => this.#receive(piece),
      onDrain: () => this.#onDrain(),
      onEnd: (failure) => this.#leave(failure),
    })
    this.#output = new Output(this.#transport, this.settings.outputBufferSize, this.settings.outputBufferTimeout)
    const transport = this.#transport
    this.#heartbeat = new Heartbeat({
      get unsent() {
        return transport.unsent
      },
      sendHeartbeat: () => this.#sendHeartbeat(),
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

  /** Sends one OK per layer, through the new layer. */
  async upgrade(granted: Granted): Promise<undefined> {
    const { limits } = this.host
    const { secureContext } = this.listener
    this.#commands.clear()
    if (granted.tls && secureContext) {
      await this.#transport.upgradeToTls(secureContext, limits.handshakeTimeout).catch((error: unknown) => {
        // The client waits for a TLS handshake, so an error frame cannot reach it.
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

  /** Checks the secret. A connection with any permission no longer counts as unauthenticated. */
  async authorize(secret?: string): Promise<Authorization> {
    const answer = await this.credentials.ask(secret)
    if (answer.grants.length > 0) this.host.admit(this)
    return answer
  }

  /** Checks live subscriptions too. nsqd does not, so a revoked secret keeps reading there. */
  async recheck(isGranted: (answer: Authorization) => boolean): Promise<void> {
    try {
      if (!isGranted(await this.authorize())) this.revoke()
    } catch (error) {
      // Fail open: while the check fails, a live subscription continues.
      this.credentials.leaveAlone()
      this.host.log?.warn({ err: error }, 'cannot check a stream subscription again')
    }
  }

  revoke(): void {
    this.fail(new ProtocolError('E_UNAUTHORIZED', 'AUTH revoked'))
  }

  subscribe(topic: string, channel: string): void {
    // The connection may have closed during the authorization check.
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

  finish(position: number | undefined): DeliveryError | undefined {
    if (!this.#channel || position === undefined) return notInFlight
    const deliveryError = this.#channel.finish(this, position)
    if (deliveryError !== undefined) return deliveryError
    this.inFlight--
    this.counts.finished++
    return undefined
  }

  requeue(position: number | undefined, delay: number): DeliveryError | undefined {
    if (!this.#channel || position === undefined) return notInFlight
    const deliveryError = this.#channel.requeue(this, position, delay)
    if (deliveryError !== undefined) return deliveryError
    this.inFlight--
    this.counts.requeued++
    return undefined
  }

  touch(position: number | undefined): DeliveryError | undefined {
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

  /** Sends an error frame, and closes the connection when the error is fatal. */
  fail(error: ProtocolError): void {
    if (this.#ended) return
    this.host.failed(error)
    this.host.log?.debug({ client: this.id, err: error }, 'stream client sent an invalid command')
    this.#output.send(FrameType.error, error.message)
    if (error.fatal) this.#end()
  }

  destroy(): void {
    this.#transport.destroy()
  }

  #receive(piece: Buffer): void {
    this.#commands.push(piece)
    this.#runCommands()
  }

  #onDrain(): void {
    if (this.#ended) return
    this.#channel?.wake()
    if (this.#busy) return
    this.#transport.resume()
    this.#runCommands()
  }

  /** Runs commands until bytes are missing, an answer is pending, or the client does not read its answers. */
  #runCommands(): void {
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
    this.#accountInput()
  }

  /** Returns false when more bytes are needed. */
  #step(): boolean {
    const step: Step = this.#commands.step()
    switch (step.what) {
      case 'incomplete':
        return false
      case 'endless':
        // As in nsqd, no error frame: the bytes may not be a command at all.
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

  /** Stops reading until the answer is sent, so answers keep the order of the commands. */
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
        this.#runCommands()
      })
  }

  #refuse(error: unknown): void {
    if (this.#ended) return
    this.#heartbeat.heard()
    if (error instanceof ProtocolError) {
      if (error.cause !== undefined) this.host.log?.warn({ err: error.cause }, 'stream command failed')
      this.fail(error)
      return
    }
    this.host.log?.error({ err: error }, 'internal error; closing a stream connection')
    this.#transport.destroy()
  }

  /** Limits the memory for incomplete commands over all connections; the limit per connection alone would not. */
  #accountInput(): void {
    const heldBytes = this.#ended ? 0 : this.#commands.length
    const change = heldBytes - this.#heldBytes
    this.#heldBytes = heldBytes
    if (!this.host.hold(change) && change > 0 && heldBytes > freeInput) this.#transport.destroy()
  }

  #sendHeartbeat(): void {
    // Some clients take the first frame after AUTH as its answer, so send no heartbeat before it.
    const handshaking = this.#busy || (this.host.authorize !== undefined && !this.credentials.answer)
    if (!handshaking && this.#output.unsent < this.host.limits.maxUnsent) this.respond('_heartbeat_')
  }

  #end(): void {
    this.#transport.end()
    this.#leave(undefined)
  }

  #leave(failure: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    if (failure) this.host.log?.debug({ client: this.id, err: failure }, 'stream connection failed')
    this.#heartbeat.stop()
    clearTimeout(this.#magicTimer)
    this.#output.close()
    this.#commands.clear()
    this.#accountInput()
    this.host.leave(this)
  }
}

/** A connection below this size is never closed for the shared limit. */
const freeInput = 16 * 1024
