/**
 * A listening socket that a service manager has opened and keeps (systemd: LISTEN_FDS and LISTEN_PID). Connections that come
 * while the service is away wait in it. With Node, a process can listen on it once.
 */
import { OperatorError } from '../lib/operator-error.js'

/** After standard input, output and error. */
const firstSocket = 3

/** The file descriptor; undefined: this process was given none. */
export function givenSocket({ LISTEN_PID, LISTEN_FDS }: NodeJS.ProcessEnv = process.env): number | undefined {
  if (LISTEN_PID !== String(process.pid) || LISTEN_FDS === undefined) return undefined
  if (LISTEN_FDS === '1') return firstSocket
  throw new OperatorError(
    `The service manager passes ${LISTEN_FDS} sockets, but the service takes one: name one ListenStream in the socket unit.`,
  )
}
