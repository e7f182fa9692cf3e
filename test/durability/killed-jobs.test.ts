import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/rounds.js'
import { runCommand } from '../support/run-command.js'
import { sqlEngines } from '../support/sql-engines.js'
import { processToken, type ServiceProcess, startProcess } from '../support/start-process.js'

const kills = rounds
const rows = 1000 + 500 * kills

for (const engine of sqlEngines()) {
  describe.skipIf(engine.skip)(engine.title, () => {
    it('works on every row of a file exactly once when killed with SIGKILL again and again', {
      timeout: 240_000 * rounds,
    }, async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'shortlink-killed-jobs-'))
      const database = engine.name === 'postgres' ? await engine.create() : undefined
      const flags = database?.databaseUrl === undefined ? [] : ['--database-url', database.databaseUrl]
      if (database) expect(await runCommand(['migrate', ...flags])).toMatchObject({ code: 0 })
      let service: ServiceProcess = await startProcess(dataDir, flags)
      const port = Number(new URL(service.url).port)
      const ask = (path: string, options: RequestInit = {}) =>
        fetch(service.url + path, {
          ...options,
          headers: { authorization: `Bearer ${processToken}`, ...options.headers },
        })

      // Always new links, so that a row that is worked on twice shows.
      const lines = Array.from({ length: rows }, (_, n) => `https://example.com/${n},true,k${n}`)
      const body = `long_url,force_new_link,keyword\n${lines.join('\n')}\n`
      const added = await ask('/v4/bulk/jobs', { method: 'POST', headers: { 'content-type': 'text/csv' }, body })
      const { guid } = (await added.json()) as { guid: string }
      const job = async () => (await (await ask(`/v4/bulk/jobs/${guid}`)).json()) as Job

      const interrupted: number[] = []
      for (let kill = 0; kill < kills; kill += 1) {
        const before = (await job()).rows_done
        const wanted = before + 100 + Math.floor(Math.random() * 300)
        while ((await job()).rows_done < wanted) await setTimeout(1)
        await service.stop('SIGKILL')
        // The lease of the dead process would end by itself after fifteen seconds.
        await database?.run('update bulk_jobs set lease_until = 0')
        service = await startProcess(dataDir, flags, '', port)
        const { state, rows_done } = await job()
        if (state === 'running') interrupted.push(rows_done)
      }
      while ((await job()).state === 'running') await setTimeout(100)
      expect(await job()).toMatchObject({
        state: 'done',
        rows_done: rows,
        counts: { created: rows, changed: 0, refused: 0 },
      })
      // Otherwise nothing was interrupted.
      expect(interrupted.length).toBeGreaterThan(0)

      const result = (await (await ask(`/v4/bulk/jobs/${guid}/result`)).text()).trim().split('\n').slice(1)
      const links = result.map((line) => line.split(','))
      expect(links.map(([longUrl]) => longUrl)).toEqual(lines.map((line) => line.split(',')[0]))
      expect(links.map(([, , keyword, link]) => link?.endsWith(`/${keyword}`))).toEqual(links.map(() => true))
      const counts = await ask(`/v4/user`).then(async (user) => {
        const { default_group_guid } = (await user.json()) as { default_group_guid: string }
        const answer = await ask(`/v4/groups/${default_group_guid}/shorten_counts?unit=day&units=2`)
        return (await answer.json()) as { metrics: readonly { value: number }[] }
      })
      expect(counts.metrics.reduce((sum, { value }) => sum + value, 0)).toBe(rows)

      expect(await service.stop('SIGTERM')).toBe(0)
      rmSync(dataDir, { recursive: true, force: true })
      await database?.remove()
    })
  })
}

interface Job {
  readonly state: string
  readonly rows_done: number
}
