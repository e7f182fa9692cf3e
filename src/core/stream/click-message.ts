/**
 * A click as consumers of the stream read it: the short keys that public click feeds always had, and what they lacked
 * under longer names. docs/api/stream.md#click-messages describes it. What is unknown is left out; a visitor's address is never in it.
 */
import type { Click } from '../clicks/click.js'
import type { DomainNames } from '../domains/domain-names.js'

/** What is told about a link beside its clicks. */
export interface LinkFacts {
  readonly login: string
  readonly createdAt: number
  /** The address of the global hash of its long URL, when there is one. */
  readonly globalHash: string | undefined
}

/** Without an organization and a maker for a global hash, which nobody owns; without facts for a link that is no more. */
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
      c: click.country === '' ? null : click.country,
      gr: known(click.region),
      cy: known(click.city),
      // Our choice: nobody is asked for the time zone of a place; the key is there, as empty as it was when unknown.
      tz: '',
      // Our choice: a long URL that nobody has asked a global hash for has none; its link's stands for it.
      g: backHalf(facts?.globalHash ?? hash),
      h: hash,
      l: facts?.login ?? '',
      hh: names.nameOf(click.address.slice(0, click.address.indexOf('/'))),
      kw: click.linkId === '' || click.address === click.linkId ? undefined : backHalf(click.address),
      r: click.referrer,
      u: click.destination,
      t: Math.floor(click.at / 1000),
      hc: facts && Math.floor(facts.createdAt / 1000),
      al: known(click.language),
      event_id: click.eventId,
      at: new Date(click.at).toISOString(),
      kind: click.kind,
      // Our choice: what was not a person is passed on and marked, as it is counted.
      nature: click.trafficClass,
      link: known(click.linkId === '' ? '' : names.shown(click.linkId)),
      group_guid: known(click.groupGuid),
      organization_guid: known(organizationGuid),
      device: click.device,
      os: known(click.os),
      browser: known(click.browser),
      referrer_network: click.referrerNetwork,
    }),
  )
}

/** `undefined` leaves a key out of JSON. */
function known(text: string): string | undefined {
  return text === '' ? undefined : text
}

function backHalf(address: string): string {
  return address.slice(address.indexOf('/') + 1)
}
