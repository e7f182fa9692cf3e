/** Publishes over nsqd's TCP protocol on one persistent connection, with TLS and AUTH when the daemon requires them. */
import { OperatorError } from '../../lib/operator-error.js'
import { batchBody, type Daemon, reasonOf, uint32 } from './daemon.js'
import { NsqdConnection } from './nsqd-connection.js'

export interface TcpAddress {
  readonly host: string
  readonly port: number
}

/** `secret` is sent to daemons that require AUTH. */
export function tcpDaemon(address: string, secret: string | undefined): Daemon {
  return new TcpDaemon(tcpAddress(address), secret)
}

/** Parses `host:port`, which the configuration has validated. */
export function tcpAddress(address: string): TcpAddress {
  const { hostname, port } = new URL(`tcp://${address}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}

class TcpDaemon implements Daemon {
  readonly name: string
  readonly #address: TcpAddress
  readonly #secret: string | undefined
  #connecting: Promise<NsqdConnection> | undefined

  constructor(address: TcpAddress, secret: string | undefined) {
    this.name = `${address.host}:${address.port}`
    this.#address = address
    this.#secret = secret
  }

  async publish(topic: string, messages: readonly Buffer[]): Promise<void> {
    this.#connecting ??= this.#connect()
    const connecting = this.#connecting
    try {
      const connection = await connecting
      const body = batchBody(messages)
      const answer = await connection.ask(Buffer.concat([Buffer.from(`MPUB ${topic}\n`), uint32(body.length), body]))
      if (answer.toString() !== 'OK') throw new Error(`it answered ${answer.toString().slice(0, 200)}`)
    } catch (error) {
      // After an error the state of the connection is unknown: the next message opens a new one.
      this.close()
      if (error instanceof OperatorError) throw error
      throw new OperatorError(
        `nsqd at ${this.name} does not accept messages for ${topic} (${reasonOf(error)}). Check nsqdTcpAddresses, and that the daemon runs.`,
      )
    }
  }

  close(): void {
    const connecting = this.#connecting
    this.#connecting = undefined
    connecting?.then(
      (connection) => connection.close(),
      // The caller got the error, and there is nothing to close.
      () => {},
    )
  }

  async #connect(): Promise<NsqdConnection> {
    const connection = await NsqdConnection.open(this.#address)
    try {
      const agreed = await connection.identify({ heartbeatInterval: -1 })
      if (agreed.authRequired) await connection.authenticate(this.#requireSecret())
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  #requireSecret(): string {
    if (this.#secret !== undefined) return this.#secret
    throw new OperatorError(
      `nsqd at ${this.name} requires authorization. Set nsqdAuthSecret and use it at the end of its --auth-http-address, or publish over nsqdHttpAddresses.`,
    )
  }
}
