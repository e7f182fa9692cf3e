/**
 * The response for a link with deep links or routing rules. Only here does the redirect path parse the user agent and,
 * if a rule needs it, locate the visitor. The response is for this visitor alone: 302, not cacheable.
 */

import type { Visit } from '../../core/clicks/journal.js'
import { type Geography, locationOf, unknownLocation } from '../../core/clicks/locate.js'
import { readAgent, trafficClassOf } from '../../core/clicks/user-agent.js'
import { clientIp } from '../../core/clicks/visitor.js'
import { chooseDestination, type Destination, needsLocation } from '../../core/links/choose-destination.js'
import type { Target, TargetRules } from '../../core/links/link.js'
import { openApp } from '../../core/links/open-app.js'
import type { KnownMobileApps } from '../../core/mobile-apps/mobile-app-table.js'
import { remembered } from '../../lib/recent-map.js'
import { choicePage, tryPage } from './deeplink-page.js'

export interface RuleDeps {
  readonly mobileAppTable: { known(): Promise<KnownMobileApps> }
  readonly geography: Geography
  readonly config: { readonly trustProxy: number }
}

export interface RuledAnswer {
  /** First target of the visitor: a web page or an app. */
  readonly destination: string
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Buffer | undefined
}

export type AnswerByRules = (target: Target, rules: TargetRules, visit: Visit) => Promise<RuledAnswer>

export function answerByRules({ mobileAppTable, geography, config }: RuleDeps): AnswerByRules {
  // Parsing a user agent takes longer than the rest of a redirect, so results are cached.
  const agentOf = remembered(2_000, (userAgent) => ({
    ...readAgent(userAgent),
    person: trafficClassOf(userAgent) === 'human',
  }))

  return async (target, rules, visit) => {
    const { device, os, person } = agentOf(visit.userAgent)
    const { country, region } = needsLocation(rules)
      ? locationOf(geography, clientIp(visit.visitor, config.trustProxy))
      : unknownLocation
    const chosen = chooseDestination(target.longUrl, rules, { device, os, country, region, person })
    return (await intoApp(chosen, visit.userAgent)) ?? found(chosen.longUrl, chosen.longUrl)
  }

  async function intoApp({ deeplink, longUrl }: Destination, userAgent: string): Promise<RuledAnswer | undefined> {
    if (!deeplink) return undefined
    const app = (await mobileAppTable.known()).byGuid.get(deeplink.appGuid)
    const opening = app && openApp(deeplink, app, longUrl, userAgent)
    if (!opening) return undefined
    const { appUri } = opening
    if (opening.how === 'redirect') return found(appUri, opening.to)
    const page =
      opening.how === 'try'
        ? tryPage({ appName: app.name, appUri, otherwise: opening.otherwise, toStore: opening.otherwise !== longUrl })
        : choicePage({ appName: app.name, opensApp: opening.to, storeUrl: opening.storeUrl, longUrl })
    return { destination: appUri, ...page }
  }
}

/** 302 and no-store, because the next visit may lead elsewhere. */
export function found(destination: string, location: string): RuledAnswer {
  const headers = [
    'Location',
    asLocation(location),
    'Cache-Control',
    'private, no-store',
    'Content-Length',
    '0',
    'Referrer-Policy',
    'unsafe-url',
    'X-Content-Type-Options',
    'nosniff',
  ]
  return { destination, status: 302, headers, body: undefined }
}

/** Headers are ASCII only; other characters are percent-encoded, as a browser does. */
export function asLocation(longUrl: string): string {
  return /[^\x21-\x7e]/.test(longUrl) ? new URL(longUrl).href : longUrl
}
