/**
 * The JSON messages of clicks and new links (docs/api/stream.md): the short keys of public click feeds, and longer keys
 * for additional fields. Unknown values are left out; a visitor's IP address is never included.
 */
import { type Click, textOf } from '../clicks/click.js'
import { listedDimensions } from '../clicks/dimensions.js'
import type { DomainNames } from '../domains/domains.js'
import type { DescribedLink, LinkFacts } from './stream-store.js'

/** Messages of one topic, in order. */
export type Batch = readonly [topic: string, messages: readonly Buffer[]]

/** Collects messages by topic. */
export class Batches {
  readonly #byTopic = new Map<string, Buffer[]>()

  add(topic: string, message: Buffer): void {
    const messages = this.#byTopic.get(topic)
    if (messages) messages.push(message)
    else this.#byTopic.set(topic, [message])
  }

  get all(): readonly Batch[] {
    return [...this.#byTopic]
  }
}

/** A global hash has no organization and no creator; a deleted link has no facts. */
export function clickMessage(
  click: Click,
  organizationGuid: string,
  facts: LinkFacts | undefined,
  names: DomainNames,
): Buffer {
  const hash = backHalf(click.linkId === '' ? click.address : click.linkId)
  return Buffer.from(
    JSON.stringify({
      a: click.userAgent,
      // Consumers expect this key, also without a country.
      c: null,
      ...streamedTexts(click),
      // The time zone is not looked up; consumers expect the key, which is empty when unknown.
      tz: '',
      // Without a global hash, use the link's own.
      g: backHalf(facts?.globalHash ?? hash),
      h: hash,
      l: facts?.login ?? '',
      hh: names.nameOf(click.address.slice(0, click.address.indexOf('/'))),
      kw: click.linkId === '' || click.address === click.linkId ? undefined : backHalf(click.address),
      u: click.destination,
      t: Math.floor(click.at / 1000),
      hc: facts && Math.floor(facts.createdAt / 1000),
      al: orUndefined(click.language),
      event_id: click.eventId,
      at: new Date(click.at).toISOString(),
      kind: click.kind,
      // Bot traffic is published too, marked as such.
      nature: click.trafficClass,
      link: orUndefined(click.linkId === '' ? '' : names.shown(click.linkId)),
      group_guid: orUndefined(click.groupGuid),
      organization_guid: orUndefined(organizationGuid),
    }),
  )
}

function streamedTexts(click: Click): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const { name, stream } of listedDimensions) {
    const text = textOf(click, name)
    if (text !== '') texts[stream] = text
  }
  return texts
}

/** JSON.stringify leaves out keys with the value `undefined`. */
function orUndefined(text: string): string | undefined {
  return text === '' ? undefined : text
}

export function linkMessage(link: DescribedLink, organizationGuid: string | undefined, names: DomainNames): Buffer {
  const { id, createdAt, createdBy, longUrl, keyword, clientId, groupGuid } = link
  const seconds = Math.floor(createdAt / 1000)
  const hash = backHalf(id)
  return Buffer.from(
    JSON.stringify({
      // Without a global hash, use the link's own.
      g: link.globalHash === undefined ? hash : backHalf(link.globalHash),
      h: hash,
      l: createdBy,
      hh: names.nameOf(id.slice(0, id.indexOf('/'))),
      kw: keyword === undefined ? undefined : backHalf(keyword),
      u: longUrl,
      t: seconds,
      hc: seconds,
      // A stored address is never reused for another link, so this id is unique.
      event_id: `link/${id}`,
      at: new Date(createdAt).toISOString(),
      kind: 'link',
      link: names.shown(id),
      group_guid: groupGuid,
      organization_guid: organizationGuid,
      client_id: clientId,
    }),
  )
}

function backHalf(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}
