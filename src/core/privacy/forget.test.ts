import { expect, it } from 'vitest'
import { clicksOfVisitor } from './forget.js'

const visitor = { ip: '192.0.2.1', userAgent: 'test' }

it.each(['2026-02-30', '2026-13-01', '2026-1-1', '16.11.2026', '2026-11-16T00:00', ''])(
  'no clicks of the day %j, which does not exist',
  async (day) => {
    await expect(clicksOfVisitor(async () => 'salt', { ...visitor, day })).rejects.toMatchObject({
      details: { field: 'day' },
    })
  },
)

it('the clicks of a day are between its midnights, UTC', async () => {
  const from = Date.UTC(2028, 1, 29)
  const found = await clicksOfVisitor(async () => 'salt', { ...visitor, day: '2028-02-29' })
  expect(found).toMatchObject({ from, before: from + 86_400_000 })
})
