import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.js'
import { certificate } from './certificate.js'
import type { EndpointSettings, Subject, TopicNumbers } from './subject.js'

/** nsqd itself, as a process of its own. */
export function realNsqd(binary: string): Subject {
  return {
    name: 'nsqd 1.3.0',
    offersSnappy: true,
    // It looks for new channels every 5 s, and at their messages every 100 ms.
    slack: 6000,
    async start(settings = {}) {
      const directory = mkdtempSync(join(tmpdir(), 'shortlink-real-nsqd-'))
      const authServer = settings.secrets && (await serveAccounts(settings.secrets))
      const [port, httpPort, httpsPort] = [await freePort(), await freePort(), await freePort()]
      const flags = flagsFor(settings, directory, authServer)
      const addresses = Object.entries({ tcp: port, http: httpPort, https: httpsPort }).map(
        ([name, at]) => `--${name}-address=127.0.0.1:${at}`,
      )
      const child = spawn(binary, [`--data-path=${directory}`, ...addresses, ...flags], { stdio: 'ignore' })
      const http = `http://127.0.0.1:${httpPort}`
      await answering(child, `${http}/ping`)
      const post = async (path: string, body = ''): Promise<void> => {
        const answer = await fetch(http + path, { method: 'POST', body })
        if (!answer.ok) throw new Error(`${path} was answered with ${answer.status} ${await answer.text()}`)
      }
      return {
        port,
        publish: (topic, ...bodies) => post(`/mpub?topic=${topic}`, bodies.join('\n')),
        async stats(topic) {
          const answer = await fetch(`${http}/stats?format=json&topic=${encodeURIComponent(topic)}`)
          const { topics } = (await answer.json()) as { topics: readonly TopicNumbers[] | null }
          return topics?.[0]
        },
        pauseChannel: (topic, channel, paused) =>
          post(`/channel/${paused ? 'pause' : 'unpause'}?topic=${topic}&channel=${channel}`),
        async stop() {
          const ended = new Promise((resolve) => child.once('exit', resolve))
          child.kill('SIGKILL')
          await ended
          authServer?.closeAllConnections()
          authServer?.close()
          rmSync(directory, { recursive: true })
        },
      }
    },
  }
}

function flagsFor({ tls, tlsRequired }: EndpointSettings, directory: string, authServer: Server | undefined): string[] {
  const flags: string[] = []
  if (tls) {
    for (const [name, text] of Object.entries(certificate)) {
      const file = join(directory, `${name}.pem`)
      writeFileSync(file, text)
      flags.push(`--tls-${name}=${file}`)
    }
  }
  if (tlsRequired) flags.push('--tls-required=tcp-https')
  if (authServer) flags.push(`--auth-http-address=127.0.0.1:${(authServer.address() as AddressInfo).port}`)
  return flags
}

/** What nsqd asks when somebody says AUTH. */
async function serveAccounts(secrets: NonNullable<EndpointSettings['secrets']>): Promise<Server> {
  const server = createServer((request, response) => {
    const account = secrets[new URL(request.url ?? '', 'http://localhost').searchParams.get('secret') ?? '']
    if (account === 'failing') {
      response.writeHead(500).end('the store of secrets is on fire')
      return
    }
    const grant = (topic: string, permission: string): object => ({
      topic: `^${topic}$`,
      channels: ['.*'],
      permissions: [permission],
    })
    const authorizations = [
      ...(account?.subscribe ?? []).map((topic) => grant(topic, 'subscribe')),
      ...(account?.publish ?? []).map((topic) => grant(topic, 'publish')),
    ]
    const identity = account?.identity ?? ''
    const identity_url = account ? `https://example.com/${identity}` : ''
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ttl: 60, identity, identity_url, authorizations }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}

async function answering(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nsqd ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
