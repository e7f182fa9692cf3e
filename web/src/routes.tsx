/**
 * The map of the dashboard. A page is a folder below pages/; its file is loaded when it is first opened. What can be
 * shared (group, filters, range, tab) is in the URL.
 */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { currentSession } from './api/client.js'
import { groupsQuery, organizationsQuery, userQuery } from './api/queries.js'
import { queryClient } from './api/query-client.js'
import { isReachable, Unreachable } from './api/reachable.js'
import { AnalyticsPage } from './pages/analytics/AnalyticsPage.js'
import { readAnalyticsSearch, readCompareSearch } from './pages/analytics/search.js'
import { readCampaignsSearch, readNewSearch } from './pages/campaigns/search.js'
import { HomePage } from './pages/home/HomePage.js'
import { LinkPage } from './pages/link/LinkPage.js'
import { loadLink } from './pages/link/load-link.js'
import { LinksPage } from './pages/links/LinksPage.js'
import { linksQuery } from './pages/links/queries.js'
import { readLinkSearch } from './pages/links/search.js'
import { readCodesSearch } from './pages/qr-codes/search.js'
import { readSettingsSearch } from './pages/settings/search.js'
import { readSiteSearch, readSitesSearch } from './pages/sites/search.js'
import { readWebhookSearch } from './pages/webhooks/search.js'
import { CrashPage, MissingPage } from './parts/Problem.js'
import { openCreate, sharedPage } from './shell/create-link.js'
import { lastGroup } from './shell/current-group.js'
import { GroupPages } from './shell/GroupPages.js'
import { Shell } from './shell/Shell.js'

/**
 * A page, loaded when it is first opened. When its file is gone because the service was updated, the router reloads.
 * When the service does not answer, that would end at the error page of the browser.
 */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error) => {
        throw (await isReachable()) ? error : new Unreachable()
      }),
    name,
  )

/** The group that this browser showed last, else the person's default group, else any. */
async function usualGroup(): Promise<string | undefined> {
  const [user, groups] = await Promise.all([
    queryClient.ensureQueryData(userQuery),
    queryClient.ensureQueryData(groupsQuery),
  ])
  const has = (wanted: string | null) => groups.some(({ guid }) => guid === wanted)
  return [lastGroup(), user.default_group_guid].find(has) ?? groups[0]?.guid
}

/** Pages by the words that people type without a group: `/app/links`. */
const pagesByWord: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['links', 'analytics', 'qr-codes', 'sites', 'campaigns', 'domains', 'settings'].map((name) => [name, name]),
  ),
  numbers: 'analytics',
  home: '',
  imports: 'links/imports',
}

async function addGroup({ pathname, search }: { readonly pathname: string; readonly search: object }): Promise<void> {
  const [word = '', ...rest] = pathname
    .replace(/^\/app(?=\/|$)/, '')
    .split('/')
    .filter(Boolean)
  if (!Object.hasOwn(pagesByWord, word)) return
  const guid = await usualGroup()
  if (guid === undefined) return
  const path = `/${[guid, pagesByWord[word], ...rest].filter(Boolean).join('/')}`
  // One of the paths below, which a type cannot show.
  throw redirect({ to: path as '/', search, replace: true })
}

const root = createRootRoute({
  beforeLoad: async ({ location: { pathname, search } }) => {
    if (await currentSession()) return addGroup({ pathname, search })
    location.assign(`/account/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`)
    await new Promise(() => undefined)
  },
  component: Shell,
  notFoundComponent: MissingPage,
  errorComponent: CrashPage,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const [user, groups] = await Promise.all([
      queryClient.ensureQueryData(userQuery),
      queryClient.ensureQueryData(groupsQuery),
    ])
    const group = groups.find(({ guid }) => guid === user.default_group_guid) ?? groups[0]
    if (group) throw redirect({ to: '/$group', params: { group: group.guid } })
  },
  component: lazyPage(() => import('./pages/home/NoGroup.js'), 'NoGroup'),
})

/** What another app shares with this one, once it is installed: the page to shorten (public/app.webmanifest). */
const share = createRoute({
  getParentRoute: () => root,
  path: '/share',
  beforeLoad: ({ search }) => {
    openCreate(sharedPage(search))
    throw redirect({ to: '/', replace: true })
  },
})

/** Analytics are shown in the time zone of the group. Pages show by themselves that groups cannot be loaded. */
const loadGroups = () => {
  // Around every page; asked for in the same request.
  void queryClient.prefetchQuery(userQuery)
  void queryClient.prefetchQuery(organizationsQuery)
  return queryClient.ensureQueryData(groupsQuery).catch(() => undefined)
}

const group = createRoute({ getParentRoute: () => root, path: '/$group', component: GroupPages })

const home = createRoute({
  getParentRoute: () => group,
  path: '/',
  validateSearch: readAnalyticsSearch,
  loader: ({ params }) => {
    // Whether there are any decides what the page shows; asked for in the same request.
    void queryClient.prefetchInfiniteQuery(linksQuery(params.group, {}))
    return loadGroups()
  },
  component: HomePage,
})

const links = createRoute({
  getParentRoute: () => group,
  path: '/links',
  validateSearch: readLinkSearch,
  component: LinksPage,
})

const analytics = createRoute({
  getParentRoute: () => group,
  path: '/analytics',
  validateSearch: readAnalyticsSearch,
  loader: loadGroups,
  component: AnalyticsPage,
})

const compare = createRoute({
  getParentRoute: () => group,
  path: '/analytics/compare',
  validateSearch: readCompareSearch,
  loader: loadGroups,
  component: lazyPage(() => import('./pages/analytics/ComparePage.js'), 'ComparePage'),
})

const sitesAnalytics = createRoute({
  getParentRoute: () => group,
  path: '/analytics/sites',
  validateSearch: readSitesSearch,
  component: lazyPage(() => import('./pages/sites/SitesAnalyticsPage.js'), 'SitesAnalyticsPage'),
})

const link = createRoute({
  getParentRoute: () => group,
  path: '/links/$domain/$hash',
  validateSearch: readAnalyticsSearch,
  // Not for each link that the pointer passes.
  loader: ({ params, preload }) => Promise.all([loadGroups(), preload || loadLink(queryClient, params)]),
  component: LinkPage,
})

const imports = createRoute({
  getParentRoute: () => group,
  path: '/links/imports',
  component: lazyPage(() => import('./pages/imports/ImportsPage.js'), 'ImportsPage'),
})

const qrCodes = createRoute({
  getParentRoute: () => group,
  path: '/qr-codes',
  validateSearch: readCodesSearch,
  component: lazyPage(() => import('./pages/qr-codes/QrCodesPage.js'), 'QrCodesPage'),
})

const qrCodeAnalytics = createRoute({
  getParentRoute: () => group,
  path: '/qr-codes/$code/analytics',
  validateSearch: readAnalyticsSearch,
  loader: loadGroups,
  component: lazyPage(() => import('./pages/analytics/CodeAnalyticsPage.js'), 'CodeAnalyticsPage'),
})

/** The analytics had these addresses, which people may have kept. */
const formerAnalytics = createRoute({
  getParentRoute: () => group,
  path: '/numbers',
  beforeLoad: ({ params, location }) => {
    throw redirect({ to: '/$group/analytics', params, search: readAnalyticsSearch(location.search) })
  },
})

const formerCodeAnalytics = createRoute({
  getParentRoute: () => group,
  path: '/qr-codes/$code/numbers',
  beforeLoad: ({ params, location }) => {
    throw redirect({ to: '/$group/qr-codes/$code/analytics', params, search: readAnalyticsSearch(location.search) })
  },
})

const campaign = createRoute({
  getParentRoute: () => group,
  path: '/campaigns/$campaign',
  validateSearch: readAnalyticsSearch,
  loader: loadGroups,
  component: lazyPage(() => import('./pages/campaigns/CampaignPage.js'), 'CampaignPage'),
})

const newCampaign = createRoute({
  getParentRoute: () => group,
  path: '/campaigns/new',
  validateSearch: readNewSearch,
  component: lazyPage(() => import('./pages/campaigns/NewPage.js'), 'NewPage'),
})

/** Campaigns were compared at this address. */
const formerCompare = createRoute({
  getParentRoute: () => group,
  path: '/campaigns/compare',
  beforeLoad: ({ params, location: { search } }) => {
    const ids = 'campaigns' in search ? search.campaigns : undefined
    const wanted = readCompareSearch({ ...search, kind: 'campaigns', ids })
    throw redirect({ to: '/$group/analytics/compare', params, search: wanted })
  },
})

const campaigns = createRoute({
  getParentRoute: () => group,
  path: '/campaigns',
  validateSearch: readCampaignsSearch,
  loader: loadGroups,
  component: lazyPage(() => import('./pages/campaigns/CampaignsPage.js'), 'CampaignsPage'),
})

const sites = createRoute({
  getParentRoute: () => group,
  path: '/sites',
  component: lazyPage(() => import('./pages/sites/SitesPage.js'), 'SitesPage'),
})

const site = createRoute({
  getParentRoute: () => group,
  path: '/sites/$site',
  validateSearch: readSiteSearch,
  component: lazyPage(() => import('./pages/sites/SitePage.js'), 'SitePage'),
})

const domains = createRoute({
  getParentRoute: () => group,
  path: '/domains',
  component: lazyPage(() => import('./pages/domains/DomainsPage.js'), 'DomainsPage'),
})

const domain = createRoute({
  getParentRoute: () => group,
  path: '/domains/$domain',
  component: lazyPage(() => import('./pages/domains/DomainPage.js'), 'DomainPage'),
})

const settings = createRoute({
  getParentRoute: () => group,
  path: '/settings',
  validateSearch: readSettingsSearch,
  component: lazyPage(() => import('./pages/settings/SettingsPage.js'), 'SettingsPage'),
})

const webhook = createRoute({
  getParentRoute: () => group,
  path: '/settings/webhooks/$webhook',
  validateSearch: readWebhookSearch,
  component: lazyPage(() => import('./pages/webhooks/WebhookPage.js'), 'WebhookPage'),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyPage(() => import('./pages/account/AccountPage.js'), 'AccountPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    share,
    account,
    group.addChildren([
      home,
      analytics,
      compare,
      sitesAnalytics,
      formerAnalytics,
      links,
      link,
      imports,
      qrCodes,
      qrCodeAnalytics,
      formerCodeAnalytics,
      campaigns,
      campaign,
      formerCompare,
      newCampaign,
      sites,
      site,
      domains,
      domain,
      settings,
      webhook,
    ]),
  ]),
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: CrashPage,
  defaultNotFoundComponent: MissingPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
