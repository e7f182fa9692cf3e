import { pino } from 'pino'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import type { Actor } from '../../core/accounts/actor.js'
import { createHttp } from '../http/server.js'
import { type RouteRequest, route } from './route.js'

const actor: Actor = {
  login: 'ada',
  defaultGroupGuid: 'B1',
  clientId: undefined,
  groups: [],
  organizations: [],
}
const schema = {
  body: Type.Object({ name: Type.String() }),
  response: { 201: Type.Object({ said: Type.String() }) },
}

describe('a v4 route', () => {
  /** Asks a route of which every step notes that it ran. */
  const ask = async (
    access: (asked: RouteRequest<{ readonly guid: string }>) => string | Promise<string>,
    body: object,
  ) => {
    const steps: string[] = []
    const http = await createHttp({ log: pino({ level: 'silent' }) }, {}, (routes) => {
      routes.decorateRequest('actor')
      routes.decorateRequest('granted')
      routes.addHook('onRequest', async (request) => {
        request.actor = actor
      })
      route(routes, 'Things', 'POST /v4/things/:guid', {
        scope: 'any',
        access: (asked) => {
          steps.push(`access to ${asked.params.guid} for ${asked.actor.login}`)
          return access(asked)
        },
        ...schema,
        answer: async (request, granted) => {
          steps.push('answer')
          return { said: `${granted}, ${request.body.name}` }
        },
      })
    })
    const { statusCode, json } = await http.inject({ method: 'POST', url: '/v4/things/T1', payload: body })
    await http.close()
    return { steps, status: statusCode, body: statusCode < 300 ? json() : undefined }
  }
  const asked = 'access to T1 for ada'

  it.each([
    ['at once', () => 'hello'],
    ['later', async () => 'hello'],
  ])('hands over what access answers %s, and answers with its status', async (_, access) => {
    expect(await ask(access, { name: 'Ada' })).toEqual({
      steps: [asked, 'answer'],
      status: 201,
      body: { said: 'hello, Ada' },
    })
  })

  it.each([
    ['at once', () => 'hello'],
    ['later', async () => 'hello'],
  ])('checks fields after access, which is given %s, and before the answer', async (_, access) => {
    expect(await ask(access, { name: 7 })).toEqual({ steps: [asked], status: 400, body: undefined })
  })

  it.each([
    [
      'at once',
      (): string => {
        throw new Error('no access')
      },
    ],
    ['later', () => Promise.reject(new Error('no access'))],
  ])('does not look at fields where access is refused %s', async (_, access) => {
    // What is not a refusal of core is a fault; a refusal of the fields would be a 400.
    expect(await ask(access, { name: 7 })).toEqual({ steps: [asked], status: 500, body: undefined })
  })
})
