import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Authorization, any } from '../../../src/engines/nsqd/authorization.js'
import { startNsqd } from '../../../src/engines/nsqd/server.js'
import { certificate } from './certificate.js'
import type { Account, Subject } from './subject.js'

/** Our own, in this process. */
export const embedded: Subject = {
  name: 'the embedded endpoint',
  offersSnappy: false,
  slack: 300,
  async start({ tls = false, tlsRequired = false, secrets } = {}) {
    const directory = mkdtempSync(join(tmpdir(), 'shortlink-nsqd-'))
    const nsqd = await startNsqd({
      file: join(directory, 'stream.sqlite'),
      port: 0,
      tlsRequired,
      ...(tls && { tls: certificate }),
      ...(secrets && { authorize: async (secret: string) => authorizationOf(secrets[secret]) }),
    })
    return {
      port: nsqd.port,
      publish: async (topic, ...bodies) =>
        nsqd.publish(
          topic,
          bodies.map((body) => Buffer.from(body)),
        ),
      stats: async (topic) => nsqd.stats({ topic }).topics[0],
      async pauseChannel(topic, channel, paused) {
        if (!nsqd.pauseChannel(topic, channel, paused)) throw new Error(`there is no channel ${channel}`)
      },
      async stop() {
        await nsqd.close()
        rmSync(directory, { recursive: true })
      },
    }
  },
}

function authorizationOf(account: Account | 'failing' | undefined): Authorization {
  if (account === 'failing') throw new Error('the store of secrets is on fire')
  if (!account) return { identity: '', identityUrl: '', ttl: 60, grants: [] }
  const grants = [
    ...account.subscribe.map((topic) => ({ topic, channels: any, permissions: ['subscribe'] }) as const),
    ...account.publish.map((topic) => ({ topic, channels: any, permissions: ['publish'] }) as const),
  ]
  return { identity: account.identity, identityUrl: `https://example.com/${account.identity}`, ttl: 60, grants }
}
