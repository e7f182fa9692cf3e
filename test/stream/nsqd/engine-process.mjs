// The endpoint as a process of its own, so that a test can kill it. It publishes what it is told, and says when it has.
import { startNsqd } from '../../../dist-modules/engines/nsqd/server.js'

const [file] = process.argv.slice(2)
const nsqd = await startNsqd({ file, port: 0, limits: { messageTimeout: 1000 }, retention: { interval: 50 } })
process.on('message', ({ from, to }) => {
  const bodies = Array.from({ length: to - from }, (_, index) => Buffer.from(String(from + index)))
  nsqd.publishOnce('numbers', to, [['t', bodies]])
  process.send({ published: to })
})
process.send({ port: nsqd.port, position: nsqd.sourcePosition('numbers') })
