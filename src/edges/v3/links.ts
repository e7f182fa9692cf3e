/** Public link operations (expand, info, look up by long URL) and shorten. */
import { shortenInAccount } from '../../core/links/account.js'
import { type AggregateDeps, aggregateOf, findAggregate, lookUp, namesOf } from '../../core/links/aggregate.js'
import type { CreateDeps } from '../../core/links/create.js'
import { notFound } from '../../core/links/read.js'
import { Refusal } from '../../core/values/refusal.js'
import { argument, flag, itemExample, items, link, optional, repeated } from './about.js'
import type { Arguments } from './arguments.js'
import type { Value } from './envelope.js'
import { statusOf } from './errors.js'
import { eachNamed, hashes, missingItem } from './items.js'
import type { Operations, V3Request, V3Result } from './operation.js'
import { epoch, hashIn, linkArgument, type PresentDeps, shortUrl } from './present.js'
import { type NameDeps, userInfo } from './user.js'

export type LinkDeps = AggregateDeps & CreateDeps & PresentDeps & NameDeps

export function linkOperations(deps: LinkDeps): Operations {
  return {
    '/v3/expand': {
      scope: 'links:read',
      summary: 'Expand short links',
      description: 'The long URLs of up to 15 short URLs or hashes, each with an `error` if it is unknown.',
      query: items,
      data: { expand: [{ ...itemExample, long_url: 'https://www.example.com/sale' }] },
      hasText: true,
      run: (request) => expand(deps, request),
    },
    '/v3/info': {
      scope: 'links:read',
      summary: 'Get titles and creators of short links',
      description: 'Of up to 15 short URLs or hashes. Title and creator are null for other organizations.',
      query: { ...items, expand_user: flag('Adds `user_info`') },
      data: { info: [{ ...itemExample, title: 'Autumn sale', created_by: 'anna', created_at: 1793611800 }] },
      run: (request) => info(deps, request),
    },
    '/v3/link/info': {
      scope: 'links:read',
      summary: 'Get what is known about the destination of a link',
      description: 'The long URL, its domain and the title of the page.',
      query: { link },
      data: {
        link: 'https://go.example.com/3xYz12A',
        aggregate_link: 'https://go.example.com/9aBc34D',
        user_hash: '3xYz12A',
        global_hash: '9aBc34D',
        original_url: 'https://www.example.com/sale',
        canonical_url: 'https://www.example.com/sale',
        domain: 'www.example.com',
        html_title: 'Autumn sale',
      },
      run: (request) => linkInfo(deps, request),
    },
    '/v3/link/lookup': {
      scope: 'links:read',
      summary: 'Find the aggregate links of long URLs',
      description: 'For each long URL, the link that counts the clicks of all links to it.',
      query: { url: repeated('Long URLs', 'https://www.example.com/sale') },
      data: {
        link_lookup: [{ url: 'https://www.example.com/sale', aggregate_link: 'https://go.example.com/9aBc34D' }],
      },
      run: ({ args }) => lookup(deps, args),
    },
    '/v3/lookup': {
      scope: 'links:read',
      summary: 'Find the aggregate links of long URLs (older form)',
      description: 'Use `/v3/link/lookup` instead.',
      query: { url: repeated('Long URLs', 'https://www.example.com/sale') },
      data: {
        lookup: [
          { url: 'https://www.example.com/sale', short_url: 'https://go.example.com/9aBc34D', global_hash: '9aBc34D' },
        ],
      },
      run: ({ args }) => olderLookup(deps, args),
    },
    '/v3/shorten': {
      scope: 'links:create',
      summary: 'Shorten a long URL',
      description: 'Returns the link that the account already has, or a new one.',
      query: {
        longUrl: argument('Where the link leads', 'https://www.example.com/sale'),
        domain: optional('One of your domains'),
      },
      data: {
        new_hash: 1,
        url: 'https://go.example.com/3xYz12A',
        hash: '3xYz12A',
        global_hash: '9aBc34D',
        long_url: 'https://www.example.com/sale',
      },
      hasText: true,
      run: (request) => shorten(deps, request),
    },
  }
}

async function shorten(deps: LinkDeps, { actor, args }: V3Request): Promise<V3Result> {
  const longUrl = args.required('longUrl', 'uri')
  const { link, created } = await shortenInAccount(deps, actor, { longUrl, domain: args.text('domain') })
  const url = shortUrl(deps, link.id)
  const data = {
    new_hash: created ? 1 : 0,
    url,
    hash: link.hash,
    global_hash: hashIn(await aggregateOf(deps, link.longUrl)),
    long_url: link.longUrl,
  }
  return { data, text: url }
}

async function expand(deps: LinkDeps, request: V3Request): Promise<V3Result> {
  const items = await eachNamed(deps, request)
  const data = {
    expand: items.map(({ echo, found }) => ({
      ...echo,
      ...(found ? { ...hashes(found), long_url: found.longUrl } : missingItem),
    })),
  }
  // Text format: one line per link, or the NOT_FOUND status if none was found.
  if (items.every(({ found }) => !found)) return { data, text: { code: 404, text: 'NOT_FOUND' } }
  return { data, text: items.map(({ found }) => found?.longUrl ?? 'NOT_FOUND').join('\n') }
}

async function info(deps: LinkDeps, request: V3Request): Promise<V3Result> {
  const items = await eachNamed(deps, request)
  const makers = items.flatMap(({ found }) => found?.link?.createdBy ?? [])
  const names = request.args.flag('expand_user') ? await namesOf(deps, makers) : undefined
  return {
    data: {
      info: items.map(({ echo, found }) => {
        if (!found) return { ...echo, ...missingItem }
        const maker = found.link?.createdBy ?? null
        return {
          ...echo,
          ...hashes(found),
          title: found.link?.title ?? null,
          created_by: maker,
          ...(names && { user_info: maker === null ? null : userInfo(maker, names.get(maker)) }),
          created_at: epoch(found.createdAt),
        }
      }),
    },
  }
}

/** What is known about the page that a link points to. */
async function linkInfo(deps: LinkDeps, { actor, args }: V3Request): Promise<V3Result> {
  const found = await lookUp(deps, actor, linkArgument(args))
  if (!found) throw notFound()
  return {
    data: {
      link: args.required('link'),
      aggregate_link: shortUrl(deps, found.aggregate),
      ...hashes(found),
      original_url: found.longUrl,
      canonical_url: found.longUrl,
      domain: new URL(found.longUrl).hostname,
      html_title: found.link?.title ?? null,
    },
  }
}

async function lookup(deps: LinkDeps, args: Arguments): Promise<V3Result> {
  const data = await eachUrl(args, async (url) => {
    const known = await findAggregate(deps, url)
    return known && { aggregate_link: shortUrl(deps, known.aggregate) }
  })
  return { data: { link_lookup: data } }
}

/** The older form of link/lookup. */
async function olderLookup(deps: LinkDeps, args: Arguments): Promise<V3Result> {
  const data = await eachUrl(args, async (url) => {
    const known = await findAggregate(deps, url)
    return known && { short_url: shortUrl(deps, known.aggregate), global_hash: hashIn(known.aggregate) }
  })
  return { data: { lookup: data } }
}

/** Looks up each long URL, with a per-URL error, so that one bad URL does not fail the request. */
export async function eachUrl(
  args: Arguments,
  find: (url: string) => Promise<{ readonly [name: string]: Value } | undefined>,
): Promise<Value[]> {
  args.required('url')
  const answers: Value[] = []
  for (const { value: url } of args.all('url')) {
    try {
      answers.push({ url, ...((await find(url)) ?? missingItem) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const text = statusOf(error)?.text
      answers.push({ url, error: text === 'INVALID_ARG_URL' ? 'INVALID_URI' : (text ?? null) })
    }
  }
  return answers
}
