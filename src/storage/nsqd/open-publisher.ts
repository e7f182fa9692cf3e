/** The publisher for what is configured: by TCP where TCP addresses are, else by HTTP. */
import { join } from 'node:path'
import { publisherSecret } from '../../core/stream/publisher-secret.js'
import type { Clock } from '../../core/values/clock.js'
import { OperatorError } from '../../lib/operator-error.js'
import { Backlogs } from './backlogs.js'
import { nsqdCluster } from './cluster.js'
import { CursorFile } from './cursor-file.js'
import { httpDaemon } from './http-daemon.js'
import { NsqdPublisher } from './publisher.js'
import { tcpDaemon } from './tcp-daemon.js'

export interface PublisherConfig {
  readonly dataDir: string
  readonly nsqdTcpAddresses: readonly string[]
  readonly nsqdHttpAddresses: readonly string[]
  readonly nsqlookupdHttpAddresses: readonly string[]
  readonly nsqdAuthSecret: string | undefined
  /** Unread messages of one topic; 0: any number. */
  readonly nsqdBacklog: number
}

/** Whether clicks go to real daemons. Our choice: there or to the endpoint in the process, never to both. */
export function usesRealNsqd(config: StreamChoice): boolean {
  const real = config.nsqdTcpAddresses.length > 0 || config.nsqdHttpAddresses.length > 0
  if (real && config.nsqdPort !== undefined) {
    throw new OperatorError(
      'The stream is either in the process (nsqdPort) or on real daemons (nsqdTcpAddresses, nsqdHttpAddresses). Leave one of them out.',
      2,
    )
  }
  if (!real && config.nsqlookupdHttpAddresses.length > 0) {
    throw new OperatorError(
      'nsqlookupdHttpAddresses is for real daemons. Name those that clicks are published to in nsqdTcpAddresses or nsqdHttpAddresses.',
      2,
    )
  }
  return real
}

export interface StreamChoice {
  readonly nsqdPort: number | undefined
  readonly nsqdTcpAddresses: readonly string[]
  readonly nsqdHttpAddresses: readonly string[]
  readonly nsqlookupdHttpAddresses: readonly string[]
}

export function openNsqdPublisher(
  config: PublisherConfig,
  clock: Clock,
  warn: (fields: Readonly<Record<string, unknown>>, message: string) => void,
): NsqdPublisher {
  const { dataDir, nsqdTcpAddresses, nsqdHttpAddresses, nsqdAuthSecret } = config
  const secret = nsqdAuthSecret === undefined ? undefined : publisherSecret(nsqdAuthSecret)
  // Which of them does not answer is told where clicks are published.
  const cluster = nsqdCluster(config, { onFailure: () => {} })
  const backlogs = new Backlogs(config.nsqdBacklog, {
    stats: () => cluster.stats(),
    clock,
    onChange: (topic, full, leftOut) =>
      full
        ? warn(
            { topic, nsqdBacklog: config.nsqdBacklog },
            'nobody reads a topic of the stream: it gets no more messages',
          )
        : warn({ topic, leftOut }, 'a topic of the stream is read again: it gets messages, some were left out'),
  })
  return new NsqdPublisher({
    takes: (topic, messages) => backlogs.takes(topic, messages),
    daemons:
      nsqdTcpAddresses.length > 0
        ? nsqdTcpAddresses.map((address) => tcpDaemon(address, secret))
        : nsqdHttpAddresses.map(httpDaemon),
    cursors: new CursorFile(join(dataDir, 'nsqd-positions.json'), (reason) =>
      warn({ reason }, 'the file with the positions of the stream cannot be used: a restart may publish clicks twice'),
    ),
    clock,
    onFailure: (daemon, error) =>
      warn(
        { daemon, reason: error instanceof Error ? error.message : String(error) },
        'an nsqd did not confirm messages: another one is asked',
      ),
  })
}
