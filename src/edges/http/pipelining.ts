/**
 * Pipelined requests (sent before the one before them is answered) are carried out one after the other. Node would begin
 * all of them at once, so that one packet of a single connection could hold up everybody else.
 */
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Our choice: more than any client sends ahead. They are kept in memory, about 3 KB each. */
const mostWaiting = 1000

export function oneAtATime(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  const ending = new WeakSet<Socket>()

  return (request, response) => {
    // The usual case: no other request of this connection is being answered.
    if (response.socket !== null) return listener(request, response)
    const { socket } = request
    if (ending.has(socket)) return
    const before = waiting.get(socket) ?? 0
    if (before === mostWaiting) {
      ending.add(socket)
      endAfterCurrent(socket)
      return
    }
    waiting.set(socket, before + 1)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      if (!ending.has(socket)) listener(request, response)
    })
  }
}

/** What has not been begun gets no answer: the client may send it again. */
function endAfterCurrent(socket: Socket): void {
  socket.pause()
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage
  if (current) current.once('close', () => socket.destroy())
  else socket.destroy()
}
