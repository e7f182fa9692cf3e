/** Checks the SQL for a cluster, because the tests run no cluster; click-log.test.ts runs the SQL for one server. */
import { describe, expect, it } from 'vitest'
import { schemaVersion, visitKinds } from '../../core/clicks/dimensions.js'
import { statements, tablesOf } from './schema.js'

describe('on one server', () => {
  const all = statements('shortlink', undefined, 0)

  it('reads and writes use the same tables', () => {
    const { clicks, clicksHere, cursors, cursorsHere } = tablesOf('shortlink', undefined)
    expect([clicks, cursors]).toEqual(['`shortlink`.`clicks`', '`shortlink`.`cursors`'])
    expect([clicksHere, cursorsHere]).toEqual([clicks, cursors])
  })

  it('clicks are sorted by group, address and time, and partitioned by month', () => {
    expect(all[0]).toMatch(/^CREATE TABLE IF NOT EXISTS `shortlink`\.`clicks` \(/)
    expect(all[0]).toContain(
      'ENGINE = SummingMergeTree(n) PARTITION BY batch_month ' +
        'ORDER BY (group_guid, address, clicked_at, journal, journal_row, position) ' +
        'SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1',
    )
    expect(all.join()).not.toMatch(/CLUSTER|Replicated|Distributed/)
  })

  it('a column is added to older tables', () => {
    expect(statements('shortlink', undefined, 1)[0]).toMatch(
      /^ALTER TABLE `shortlink`\.`clicks` ADD COLUMN IF NOT EXISTS/,
    )
  })

  it('an older column learns the kinds of visits that came later', () => {
    const kinds = visitKinds.map((kind, number) => `'${kind}' = ${number}`).join(', ')
    expect(statements('shortlink', undefined, 3)).toContain(
      `ALTER TABLE \`shortlink\`.\`clicks\` MODIFY COLUMN kind Enum8(${kinds})`,
    )
  })

  it('the newest schema needs no statement', () => {
    expect(statements('shortlink', undefined, schemaVersion(2))).toEqual([])
  })
})

describe('on a cluster', () => {
  const all = statements('shortlink', 'analytics', 0)

  it('every statement runs on all servers', () => {
    for (const statement of all) expect(statement).toContain(' ON CLUSTER `analytics`')
  })

  it('each shard has replicated tables', () => {
    expect(all[0]).toMatch(/^CREATE TABLE IF NOT EXISTS `shortlink`\.`clicks_local` ON CLUSTER `analytics` \(/)
    expect(all[0]).toContain(
      "ENGINE = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/shortlink/clicks_local', '{replica}', n) " +
        'PARTITION BY batch_month ORDER BY (group_guid, address, clicked_at, journal, journal_row, position) ' +
        'SETTINGS replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800',
    )
    expect(all[2]).toContain(
      "ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/shortlink/cursors_local', '{replica}', last_row)",
    )
  })

  it('each table has a distributed table, which reports read', () => {
    expect(all[1]).toBe(
      'CREATE TABLE IF NOT EXISTS `shortlink`.`clicks` ON CLUSTER `analytics` AS `shortlink`.`clicks_local`\n' +
        '  ENGINE = Distributed(`analytics`, `shortlink`, `clicks_local`)',
    )
    expect(all[3]).toContain('ENGINE = Distributed(`analytics`, `shortlink`, `cursors_local`)')
    expect(tablesOf('shortlink', 'analytics')).toMatchObject({
      clicks: '`shortlink`.`clicks`',
      clicksHere: '`shortlink`.`clicks_local`',
      cursors: '`shortlink`.`cursors`',
      cursorsHere: '`shortlink`.`cursors_local`',
    })
  })
})
