/** Opens the publisher of the configuration: over TCP when TCP addresses are configured, otherwise over HTTP. */

import { join } from 'node:path'
import { publisherSecret } from '../../core/stream/access.js'
import type { Clock } from '../../core/values/time.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { Backlogs } from './backlogs.js'
import { nsqdCluster } from './cluster.js'
import { CursorFile } from './cursor-file.js'
import { httpDaemon } from './daemon.js'
import { NsqdPublisher } from './publisher.js'
import { tcpDaemon } from './tcp-daemon.js'

export interface PublisherConfig {
  readonly dataDir: string
  readonly nsqdTcpAddresses: readonly string[]
  readonly nsqdHttpAddresses: readonly string[]
  readonly nsqlookupdHttpAddresses: readonly string[]
  readonly nsqdAuthSecret: string | undefined
  /** Unread messages per topic; 0: no limit. */
  readonly nsqdBacklog: number
}

/** Whether clicks go to external daemons. It is either those or the embedded stream, never both. */
export function usesRealNsqd(config: StreamChoice): boolean {
  const real = config.nsqdTcpAddresses.length > 0 || config.nsqdHttpAddresses.length > 0
  if (real && config.nsqdPort !== undefined) {
    throw new OperatorError(
      'The stream is either embedded (nsqdPort) or on external daemons (nsqdTcpAddresses, nsqdHttpAddresses). Remove one of them.',
      2,
    )
  }
  if (!real && config.nsqlookupdHttpAddresses.length > 0) {
    throw new OperatorError(
      'nsqlookupdHttpAddresses is for external daemons. Set the daemons that clicks are published to with nsqdTcpAddresses or nsqdHttpAddresses.',
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
  // The publisher already reports daemons that do not answer.
  const cluster = nsqdCluster(config, { onFailure: () => {} })
  const backlogs = new Backlogs(config.nsqdBacklog, {
    stats: () => cluster.stats(),
    clock,
    onChange: (topic, full, leftOut) =>
      full
        ? warn(
            { topic, nsqdBacklog: config.nsqdBacklog },
            'stream topic has too many unread messages; skipping new ones',
          )
        : warn({ topic, leftOut }, 'stream topic accepts messages again; some were skipped'),
  })
  return new NsqdPublisher({
    takes: (topic, messages) => backlogs.takes(topic, messages),
    daemons:
      nsqdTcpAddresses.length > 0
        ? nsqdTcpAddresses.map((address) => tcpDaemon(address, secret))
        : nsqdHttpAddresses.map(httpDaemon),
    cursors: new CursorFile(join(dataDir, 'nsqd-positions.json'), (reason) =>
      warn({ reason }, 'cannot use the file of stream positions; a restart may publish clicks twice'),
    ),
    clock,
    onFailure: (daemon, error) =>
      warn({ daemon, reason: messageOf(error) }, 'nsqd did not confirm messages; trying another one'),
  })
}
