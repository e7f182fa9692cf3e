import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Closable } from '../../src/lib/closing.js'

interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
}

export interface SmtpServer extends Closable {
  /** As `smtpUrl` is configured. */
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  /** The next mail that arrives, or one that nobody has waited for yet. */
  next(): Promise<ReceivedMail>
  /** From now on every mail is refused. */
  refuse(): void
  /** From now on senders wait, until the returned function is called. */
  hold(): () => void
}

/** A real mail server on loopback: enough of RFC 5321 to take mail from one sender at a time. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
  const unread: ReceivedMail[] = []
  let refusing = false
  let held = Promise.resolve()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, () => held.then(() => refusing), received)
  })

  function received(mail: ReceivedMail): void {
    mails.push(mail)
    const reader = waiting.shift()
    if (reader) reader(mail)
    else unread.push(mail)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    next: () => {
      const mail = unread.shift()
      return mail ? Promise.resolve(mail) : new Promise((resolve) => waiting.push(resolve))
    },
    refuse: () => {
      refusing = true
    },
    hold: () => {
      let goOn = () => {}
      held = new Promise((resolve) => {
        goOn = resolve
      })
      return goOn
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function converse(socket: Socket, refusing: () => Promise<boolean>, received: (mail: ReceivedMail) => void): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let from = ''
  let to: string[] = []
  let data: string[] | undefined
  let rest = ''
  say('220 test')
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })

  function hear(line: string): void {
    if (data) {
      if (line !== '.') return void data.push(line.replace(/^\.\./, '.'))
      received(readMail(from, to, data))
      data = undefined
      return void say('250 taken')
    }
    const [command = ''] = line.toUpperCase().split(/[ :]/)
    if (command === 'EHLO' || command === 'HELO') say('250 test')
    else if (command === 'MAIL') {
      from = /<(.*?)>/.exec(line)?.[1] ?? ''
      to = []
      void refusing().then((no) => say(no ? '451 not now' : '250 ok'))
    } else if (command === 'RCPT') {
      to.push(/<(.*?)>/.exec(line)?.[1] ?? '')
      say('250 ok')
    } else if (command === 'DATA') {
      data = []
      say('354 go on')
    } else if (command === 'QUIT') {
      say('221 bye')
      socket.end()
    } else say('250 ok')
  }
}

/** Long lines come as quoted-printable. */
function readMail(from: string, to: readonly string[], lines: readonly string[]): ReceivedMail {
  const end = lines.indexOf('')
  const headers = lines.slice(0, end)
  const body = lines.slice(end + 1).join('\n')
  const quoted = headers.some((header) => /^content-transfer-encoding: quoted-printable/i.test(header))
  const subject = headers.find((header) => /^subject:/i.test(header))?.replace(/^subject: */i, '') ?? ''
  const text = quoted
    ? body
        .replace(/=\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : body
  return { from, to, subject, text }
}
