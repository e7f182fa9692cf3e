/**
 * Where a link with deep links or routing rules leads this visitor. Only here does the redirect path parse the user agent
 * and, if a rule needs it, locate the visitor.
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
import type { Page } from './pages.js'

export interface RuleDeps {
  readonly mobileAppTable: { known(): Promise<KnownMobileApps> }
  readonly geography: Geography
  readonly config: { readonly trustProxy: number }
}

/** `destination`: the first target of the visitor, a web page or an app. The response redirects or shows a page. */
export type RuledAnswer =
  | { readonly destination: string; readonly location: string }
  | { readonly destination: string; readonly page: Page }

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
    return (await intoApp(chosen, visit.userAgent)) ?? { destination: chosen.longUrl, location: chosen.longUrl }
  }

  async function intoApp({ deeplink, longUrl }: Destination, userAgent: string): Promise<RuledAnswer | undefined> {
    if (!deeplink) return undefined
    const app = (await mobileAppTable.known()).byGuid.get(deeplink.appGuid)
    const opening = app && openApp(deeplink, app, longUrl, userAgent)
    if (!opening) return undefined
    const { appUri } = opening
    if (opening.how === 'redirect') return { destination: appUri, location: opening.to }
    const page =
      opening.how === 'try'
        ? tryPage({ appName: app.name, appUri, otherwise: opening.otherwise, toStore: opening.otherwise !== longUrl })
        : choicePage({ appName: app.name, opensApp: opening.to, storeUrl: opening.storeUrl, longUrl })
    return { destination: appUri, page }
  }
}
