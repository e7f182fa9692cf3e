/** Clicks over time of up to 100 links in one request. An addition: the public API has them for one link at a time. */

import { Type } from 'typebox'
import { clicksOfLinks, type LinkClicksDeps } from '../../core/metrics/clicks-of-links.js'
import { traffics } from '../../core/metrics/report-subject.js'
import type { Clock } from '../../core/values/time.js'
import { timestamp } from '../../core/values/time.js'
import { parseWindow, units } from '../../core/values/window.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { groupMember } from './access.js'
import type { PresentDeps } from './present.js'
import { route } from './route.js'
import { timestampBounds, zoneBounds } from './schemas/bounds.js'
import { namedLinks, optionalText, shownAddress } from './schemas/fields.js'

export interface LinksClicksRouteDeps extends LinkClicksDeps, PresentDeps {
  readonly clock: Clock
}

const maxUnits = 366

const Body = Type.Object(
  {
    shortlinks: namedLinks,
    unit: Type.Optional(Type.Enum([...units], { type: 'string', default: 'day' })),
    units: Type.Optional(
      Type.Integer({ minimum: 1, maximum: maxUnits, default: 30, description: `Number of units, 1 to ${maxUnits}` }),
    ),
    unit_reference: optionalText('A time in the last unit, as in other reports; now by default', timestampBounds),
    zone: Type.Optional(Type.String({ ...zoneBounds, description: 'Time zone such as `Europe/Berlin`' })),
    traffic: Type.Optional(Type.Enum([...traffics], { type: 'string', default: 'human' })),
  },
  { examples: [{ shortlinks: ['go.example.com/3xYz12A', 'go.example.com/4aBc34D'], unit: 'day', units: 30 }] },
)

const Answer = Type.Object(
  {
    links: Type.Array(
      Type.Object({
        id: shownAddress({ description: '`<domain>/<hash>`' }),
        total_clicks: Type.Integer({ description: 'Of all units' }),
        clicks: Type.Array(Type.Integer(), { description: 'Per unit, in the order of `dates`' }),
      }),
      { description: 'Links that are unknown, deleted or of another group are left out' },
    ),
    dates: Type.Array(Type.String(), { description: 'Starts of the units in UTC, newest first' }),
    unit: Type.String({ description: 'As requested' }),
    units: Type.Integer({ description: 'As requested' }),
    unit_reference: Type.String({ description: 'The latest time of the window, in UTC' }),
  },
  { description: 'The clicks of each link' },
)

export function linksClicksRoutes(http: TypedFastify, deps: LinksClicksRouteDeps): void {
  route(http, 'Metrics', 'getClicksOfShortlinks: POST /v4/groups/:group_guid/links/clicks/series', {
    scope: 'analytics:read',
    access: groupMember,
    summary: 'Get clicks over time of several short links',
    description:
      'For lists of links. A link counts with its hash and all its custom back-halves. Reads only; it is a POST because of its many ids.',
    body: Body,
    response: { 200: Answer },
    answer: async ({ params, body }) => {
      const { unit, units: count = 30, unit_reference: unitReference, zone, traffic = 'human' } = body
      const window = parseWindow({ unit, units: count, unitReference, zone }, deps.clock.now())
      const { starts, links } = await clicksOfLinks(deps, params.group_guid, body.shortlinks, { window, traffic })
      return {
        links: links.map(({ id, counts }) => ({
          id: deps.domains.shown(id),
          total_clicks: counts.reduce((sum, each) => sum + each, 0),
          clicks: [...counts],
        })),
        dates: starts.map(timestamp),
        unit: window.unit,
        units: window.units,
        unit_reference: timestamp(window.reference),
      }
    },
  })
}
