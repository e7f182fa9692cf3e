/** Who shortened what a link leads to (v3 Link metrics). */
import { type AggregateParts, countEncoders, encodersOf, namesOf } from '../../core/links/aggregate.js'
import { rankByClicks } from '../../core/metrics/encoder-ranking.js'
import type { ReportParts } from '../../core/metrics/report.js'
import type { Answer, Operation, Question } from './operation.js'
import { epoch, linkArgument, type PresentParts, shortUrl } from './present.js'
import { type NameParts, userInfo } from './user.js'

export type EncoderParts = AggregateParts & ReportParts & PresentParts & NameParts

export function encoderOperations(parts: EncoderParts): readonly Operation[] {
  return [
    { path: '/v3/link/encoders', answer: (question) => encoders(parts, question) },
    { path: '/v3/link/encoders_by_count', answer: (question) => byCount(parts, question) },
    { path: '/v3/link/encoders_count', answer: (question) => count(parts, question) },
  ]
}

async function encoders(parts: EncoderParts, { actor, args }: Question): Promise<Answer> {
  const written = linkArgument(args)
  const wish = { myNetwork: args.flag('my_network') ?? false, size: args.integer('limit', 1, 25) ?? 10 }
  const expandUser = args.flag('expand_user') ?? false
  const { aggregate, encoders: found } = await encodersOf(parts, actor, written, wish)
  const logins = found.map(({ login }) => login)
  const names = expandUser ? await namesOf(parts, logins) : undefined
  return {
    data: {
      aggregate_link: shortUrl(parts, aggregate),
      entries: found.map(({ linkId, login, at }) => ({
        link: shortUrl(parts, linkId),
        user: login,
        ...(names && { user_info: userInfo(login, names.get(login)) }),
        ts: epoch(at),
      })),
    },
  }
}

/** Only links whose figures the caller may see: those of the groups they belong to. */
async function byCount(parts: EncoderParts, { actor, args }: Question): Promise<Answer> {
  const written = linkArgument(args)
  const size = args.integer('limit', 1, 25) ?? 10
  const expandUser = args.flag('expand_user') ?? false
  const { aggregate, encoders: found } = await encodersOf(parts, actor, written, { myNetwork: true, size: mostRanked })
  const ranked = await rankByClicks(parts, actor, found, size)
  const names = expandUser
    ? await namesOf(
        parts,
        ranked.map(({ login }) => login),
      )
    : undefined
  return {
    data: {
      aggregate_link: shortUrl(parts, aggregate),
      entries: ranked.map(({ linkId, login, count: clicks }) => ({
        link: shortUrl(parts, linkId),
        user: login,
        ...(names && { user_info: userInfo(login, names.get(login)) }),
        clicks,
      })),
    },
  }
}

/** The newest of them; each costs a look at its link. */
const mostRanked = 100

async function count(parts: EncoderParts, { actor, args }: Question): Promise<Answer> {
  const { aggregate, count: people } = await countEncoders(parts, actor, linkArgument(args))
  return { data: { aggregate_link: shortUrl(parts, aggregate), count: people } }
}
