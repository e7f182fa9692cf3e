/**
 * A loopback port for a server that is about to start, reserved for whoever asked: its number is held as a UDP port, which no
 * server of ours listens on, so that no other test gets it, also not in another process. It lies below the numbers that
 * systems give to outgoing connections, which would otherwise take it before the server has started.
 */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** `held: false` is for a server that listens on the UDP port as well, as HTTP/3 does. */
export async function freePort({ held = true } = {}): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first))
    const hold = await heldAs(port)
    if (!hold) continue
    if (await isFree(port)) {
      if (!held) {
        await new Promise<void>((closed) => hold.close(closed))
        return port
      }
      holds.push(hold)
      // Each costs a file descriptor. Servers of that long ago have taken their port, or are gone.
      if (holds.length > mostHolds) holds.shift()?.close()
      return port
    }
    hold.close()
  }
}

const [first, last] = [10_240, 32_000]
const holds: Socket[] = []
const mostHolds = 200

async function heldAs(port: number): Promise<Socket | undefined> {
  const socket = createSocket('udp4')
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(socket, 'listening')
    return socket.unref()
  } catch {
    socket.close()
    return undefined
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true })
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
