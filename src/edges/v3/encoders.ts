/** Lists who shortened the long URL of a link (docs/api/v3.md#aggregate-links). */
import { type AggregateDeps, countEncoders, encodersOf, namesOf } from '../../core/links/aggregate.js'
import { rankByClicks } from '../../core/metrics/encoder-ranking.js'
import type { ReportDeps } from '../../core/metrics/report.js'
import { flag, limit, link } from './about.js'
import type { Value } from './envelope.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { epoch, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { type NameDeps, userInfo } from './user.js'

export type EncoderDeps = AggregateDeps & ReportDeps & PresentDeps & NameDeps

export function encoderOperations(deps: EncoderDeps): Operations {
  return {
    '/v3/link/encoders': {
      scope: 'links:read',
      summary: 'List who shortened the page of a link',
      description: 'One entry per user of your organizations, without private links.',
      query: {
        link,
        my_network: flag('Only users of your groups'),
        limit: limit(25, 10),
        expand_user: flag('Adds `user_info`'),
      },
      data: {
        aggregate_link: 'https://go.example.com/9aBc34D',
        entries: [{ link: 'https://go.example.com/3xYz12A', user: 'anna', ts: 1793611800 }],
      },
      run: (request) => encoders(deps, request),
    },
    '/v3/link/encoders_by_count': {
      scope: 'analytics:read',
      summary: 'List who shortened the page of a link, by clicks',
      description: 'Public links of your groups that were clicked, most clicked first.',
      query: { link, limit: limit(25, 10), expand_user: flag('Adds `user_info`') },
      data: {
        aggregate_link: 'https://go.example.com/9aBc34D',
        entries: [{ link: 'https://go.example.com/3xYz12A', user: 'anna', clicks: 128 }],
      },
      run: (request) => byCount(deps, request),
    },
    '/v3/link/encoders_count': {
      scope: 'links:read',
      summary: 'Count who shortened the page of a link',
      description: 'Includes private links, and those of other organizations.',
      query: { link },
      data: { aggregate_link: 'https://go.example.com/9aBc34D', count: 3 },
      run: (request) => count(deps, request),
    },
  }
}

async function encoders(deps: EncoderDeps, { actor, args }: V3Request): Promise<V3Result> {
  const written = linkArgument(args)
  const input = { myNetwork: args.flag('my_network') ?? false, size: args.integer('limit', 1, 25) ?? 10 }
  const expandUser = args.flag('expand_user') ?? false
  const { aggregate, encoders: found } = await encodersOf(deps, actor, written, input)
  return { data: await present(deps, aggregate, found, expandUser, ({ at }) => ({ ts: epoch(at) })) }
}

/** Covers only links in the caller's groups, since others' click counts are private. */
async function byCount(deps: EncoderDeps, { actor, args }: V3Request): Promise<V3Result> {
  const written = linkArgument(args)
  const size = args.integer('limit', 1, 25) ?? 10
  const expandUser = args.flag('expand_user') ?? false
  const { aggregate, encoders: found } = await encodersOf(deps, actor, written, { myNetwork: true, size: maxRanked })
  const ranked = await rankByClicks(deps, actor, found, size)
  return { data: await present(deps, aggregate, ranked, expandUser, ({ count: clicks }) => ({ clicks })) }
}

async function present<Encoder extends { readonly linkId: string; readonly login: string }>(
  deps: EncoderDeps,
  aggregate: string,
  found: readonly Encoder[],
  expandUser: boolean,
  own: (encoder: Encoder) => { readonly [name: string]: Value },
): Promise<Value> {
  const logins = found.map(({ login }) => login)
  const names = expandUser ? await namesOf(deps, logins) : undefined
  const entries = found.map((each) => ({
    link: shortUrl(deps, each.linkId),
    user: each.login,
    ...(names && { user_info: userInfo(each.login, names.get(each.login)) }),
    ...own(each),
  }))
  return { aggregate_link: shortUrl(deps, aggregate), entries }
}

/** Rank only the newest links: each one costs a query. */
const maxRanked = 100

async function count(deps: EncoderDeps, { actor, args }: V3Request): Promise<V3Result> {
  const { aggregate, count: people } = await countEncoders(deps, actor, linkArgument(args))
  return { data: { aggregate_link: shortUrl(deps, aggregate), count: people } }
}
