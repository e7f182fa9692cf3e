/** Links of everybody: expand, info, look-up by long URL; and shorten (v3 Links). */

import { shortenInAccount } from '../../core/links/account.js'
import { type AggregateParts, aggregateOf, findAggregate, lookAt, namesOf } from '../../core/links/aggregate.js'
import { notFound } from '../../core/links/read.js'
import type { ShortenParts } from '../../core/links/shorten.js'
import { Refusal } from '../../core/refusal.js'
import type { Arguments } from './arguments.js'
import { statusOf } from './errors.js'
import { eachNamed, hashes, missingItem } from './items.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch, hashIn, linkArgument, type PresentParts, shortUrl } from './present.js'
import { type NameParts, userInfo } from './user.js'
import type { Value } from './xml.js'

export type LinkParts = AggregateParts & ShortenParts & PresentParts & NameParts

export function linkOperations(parts: LinkParts): readonly Operation[] {
  return [
    { path: '/v3/expand', hasText: true, answer: (question) => expand(parts, question) },
    { path: '/v3/info', answer: (question) => info(parts, question) },
    { path: '/v3/link/info', answer: (question) => linkInfo(parts, question) },
    { path: '/v3/link/lookup', answer: ({ args }) => lookup(parts, args) },
    { path: '/v3/lookup', answer: ({ args }) => olderLookup(parts, args) },
    { path: '/v3/shorten', hasText: true, answer: (question) => shorten(parts, question) },
  ]
}

async function shorten(parts: LinkParts, { actor, args }: Question): Promise<Answer> {
  const longUrl = args.required('longUrl', 'uri')
  const { link, created } = await shortenInAccount(parts, actor, { longUrl, domain: args.text('domain') })
  const url = shortUrl(parts, link.id)
  const data = {
    new_hash: created ? 1 : 0,
    url,
    hash: link.hash,
    global_hash: hashIn(await aggregateOf(parts, link.longUrl)),
    long_url: link.longUrl,
  }
  return { data, text: url }
}

async function expand(parts: LinkParts, question: Question): Promise<Answer> {
  const items = await eachNamed(parts, question)
  const data = {
    expand: items.map(({ echo, found }) => ({
      ...echo,
      ...(found ? { ...hashes(found), long_url: found.longUrl } : missingItem),
    })),
  }
  // Our choice: a line for each; when there is nothing to show, the word and the status of it.
  if (items.every(({ found }) => !found)) return { data, text: { code: 404, text: 'NOT_FOUND' } }
  return { data, text: items.map(({ found }) => found?.longUrl ?? 'NOT_FOUND').join('\n') }
}

async function info(parts: LinkParts, question: Question): Promise<Answer> {
  const items = await eachNamed(parts, question)
  const makers = items.flatMap(({ found }) => found?.link?.createdBy ?? [])
  const names = question.args.flag('expand_user') ? await namesOf(parts, makers) : undefined
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

/** Gaps 7.4: what is known about the page behind a link. */
async function linkInfo(parts: LinkParts, { actor, args }: Question): Promise<Answer> {
  const found = await lookAt(parts, actor, linkArgument(args))
  if (!found) throw notFound()
  return {
    data: {
      link: args.required('link'),
      aggregate_link: shortUrl(parts, found.aggregate),
      ...hashes(found),
      original_url: found.longUrl,
      canonical_url: found.longUrl,
      domain: new URL(found.longUrl).hostname,
      html_title: found.link?.title ?? null,
    },
  }
}

async function lookup(parts: LinkParts, args: Arguments): Promise<Answer> {
  const data = await eachUrl(args, async (url) => {
    const known = await findAggregate(parts, url)
    return known && { aggregate_link: shortUrl(parts, known.aggregate) }
  })
  return { data: { link_lookup: data } }
}

/** The same in the names of its time. */
async function olderLookup(parts: LinkParts, args: Arguments): Promise<Answer> {
  const data = await eachUrl(args, async (url) => {
    const known = await findAggregate(parts, url)
    return known && { short_url: shortUrl(parts, known.aggregate), global_hash: hashIn(known.aggregate) }
  })
  return { data: { lookup: data } }
}

/** Long URLs as they were sent, each with what was found or with why not: one bad URL does not spoil the others. */
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
