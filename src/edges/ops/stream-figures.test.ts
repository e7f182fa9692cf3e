import { describe, expect, it } from 'vitest'
import type { LinkFollowerStatus, PipelineStatus } from '../../core/clicks/deliver.js'
import { streamTroubles } from './stream-figures.js'

const well: LinkFollowerStatus = { failures: 3, lastFailure: undefined, behindMs: 400, tooLongOpenMs: undefined }

function pipeline(links: LinkFollowerStatus | undefined): PipelineStatus {
  const sink = { row: 1, failures: 0, lastFailure: undefined, lagMs: 0 }
  const delivered = { human: 0, bot: 0, preview: 0, prefetch: 0, head: 0 }
  return {
    ...sink,
    delivered,
    dropped: {},
    damagedRows: 0,
    damagedAt: undefined,
    others: { stream: sink },
    links,
    restarts: 0,
  }
}

describe('troubles of the stream', () => {
  it.each<[string, LinkFollowerStatus | undefined, readonly string[]]>([
    ['none where links are not followed', undefined, []],
    ['none where following works, whatever failed before', well, []],
    [
      'links that cannot be told of, with the reason',
      { ...well, lastFailure: 'nobody there' },
      ['stream: new links are waiting in the database (nobody there)'],
    ],
    [
      'a change that is no longer waited for, with its age',
      { ...well, tooLongOpenMs: 11.9 * 60_000 },
      ['stream: a database transaction has been open for 11 minutes; its new links are not published. End it.'],
    ],
  ])('are %s', async (_, links, troubles) => {
    expect(await streamTroubles({ stats: async () => ({ daemons: [] }) }, pipeline(links))).toEqual(troubles)
  })
})
