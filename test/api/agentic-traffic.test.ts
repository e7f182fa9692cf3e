import { beforeAll, describe, expect, it } from 'vitest'
import { aiAgentOf } from '../../src/core/clicks/ai-agents.js'
import { trafficClassOf } from '../../src/core/clicks/user-agent.js'
import { useApp } from '../support/start-app.js'
import { aStranger } from './alter-records.js'
import { agents } from './visits.js'

const gptBot = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.2; +https://openai.com/gptbot'
const claudeUser = 'Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)'
const now = Date.parse('2026-03-18T14:00:00Z')
const started = useApp({ trustProxy: 1 }, { clock: { now: () => now } })
let id: string
let group: string
beforeAll(async () => {
  const { body } = await started.request('POST', '/v4/shorten', { body: { long_url: 'https://example.com/agents' } })
  id = body.id
  group = body.references.group.split('/').at(-1)
  for (const agent of [gptBot, gptBot, gptBot.toLowerCase(), claudeUser, agents.robot, agents.desktop]) {
    const headers = { host: started.domain, 'user-agent': agent }
    const { status } = await started.request('GET', `/${id.split('/')[1]}`, { token: null, headers })
    expect(status).toBe(301)
  }
  await started.clicksCounted()
})
const ask = async (path: string, headers = {}) => started.request('GET', `/v4/${path}`, { headers })
const rows = [
  { value: 'GPTBot', clicks: 3 },
  { value: 'Claude-User', clicks: 1 },
]

describe('GET /v4/shortlinks/{shortlink}/agentic_traffic', () => {
  it('counts clicks of AI agents by their names, and no other traffic', async () => {
    const { status, body } = await ask(`shortlinks/${id}/agentic_traffic?unit=day&units=30`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ metrics: rows, facet: 'agentic_traffic', unit: 'day', units: 30 })
  })

  it('comes as CSV', async () => {
    const { text } = await ask(`shortlinks/${id}/agentic_traffic`, { accept: 'text/csv' })
    expect(text.trim().split(/\r?\n/)).toEqual(['Agent, Clicks', 'GPTBot, 3', 'Claude-User, 1'])
  })
})

describe('GET /v4/groups/{group_guid}/agentic_traffic/rollup', () => {
  it('counts clicks of AI agents in the last 90 days', async () => {
    const { status, body } = await ask(`groups/${group}/agentic_traffic/rollup`)
    expect(status).toBe(200)
    const unit_reference = '2026-03-18T14:00:00+0000'
    expect(body).toEqual({ total_clicks: 4, unit: 'day', units: 90, unit_reference })
  })

  it('is for members of the group alone', async () => {
    const { token } = await aStranger(started)
    const { status } = await started.request('GET', `/v4/groups/${group}/agentic_traffic/rollup`, { token })
    expect(status).toBe(403)
  })
})

describe('the dimension agent', () => {
  it('is a report, and a filter that counts bots', async () => {
    const { body } = await ask(`groups/${group}/metrics/agents`)
    expect(body.metrics).toEqual(rows.map(({ value, clicks: count }) => ({ value, count })))
    expect((await ask(`shortlinks/${id}/clicks/summary?agent=is:GPTBot`)).body.total_clicks).toBe(3)
    // Three robots are no GPTBot: an assistant and a search engine.
    expect((await ask(`shortlinks/${id}/clicks/summary?agent=is_not:GPTBot`)).body.total_clicks).toBe(2)
  })

  it('can be all traffic that counts', async () => {
    expect((await ask(`shortlinks/${id}/clicks/summary?traffic=agents`)).body.total_clicks).toBe(4)
    expect((await ask(`groups/${group}/metrics?traffic=agents`)).body).toMatchObject({ engagements: 4 })
    // With a filter both count.
    expect((await ask(`shortlinks/${id}/clicks/summary?traffic=agents&agent=is_not:GPTBot`)).body.total_clicks).toBe(1)
    const { body } = await ask(`groups/${group}/metrics/latest?traffic=agents`)
    expect(body.engagements.map((each: { agent: string }) => each.agent).sort()).toEqual([
      'Claude-User',
      'GPTBot',
      'GPTBot',
      'GPTBot',
    ])
  })

  it.each([
    [gptBot, 'GPTBot'],
    [claudeUser, 'Claude-User'],
    ['Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)', 'PerplexityBot'],
    ['Mozilla/5.0; compatible; ChatGPT-User/1.0; +https://openai.com/bot', 'ChatGPT-User'],
    ['GoogleOther-Image/1.0', 'GoogleOther-Image'],
  ])('is read from %s, which is a bot', (userAgent, name) => {
    expect([aiAgentOf(userAgent), trafficClassOf(userAgent)]).toEqual([name, 'bot'])
  })

  it.each([agents.desktop, agents.robot, 'MyGPTBot/1.0', 'GPTBots', ''])('is empty for %s', (userAgent) => {
    expect(aiAgentOf(userAgent)).toBe('')
  })
})
