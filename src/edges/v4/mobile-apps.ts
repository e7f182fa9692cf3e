/**
 * Mobile apps of an organization, which deep links open. An addition: the public API has deep links that name apps,
 * but no operations for the apps.
 */

import { type Static, Type } from 'typebox'
import { maxEntries, maxTextLength } from '../../core/mobile-apps/app-fields.js'
import type { MobileApp } from '../../core/mobile-apps/mobile-app-store.js'
import {
  addMobileApp,
  listMobileApps,
  type MobileAppDeps,
  readMobileApp,
  removeMobileApp,
  updateMobileApp,
} from '../../core/mobile-apps/mobile-apps.js'
import { timestamp } from '../../core/values/time.js'
import type { TypedFastify } from '../http/typed-fastify.js'
import { bounds, emptyRemoves } from '../http/validation.js'
import { organizationAdmin, organizationMember } from './access.js'
import { type BaseUrlDeps, route } from './route.js'
import { nameBounds, webUrlOrNoneBounds } from './schemas/bounds.js'
import { refusals } from './schemas/error.js'
import { named, optionalText } from './schemas/fields.js'
import { listAnswer } from './schemas/lists.js'

export type MobileAppRouteDeps = MobileAppDeps & BaseUrlDeps

const time = 'UTC, shaped `YYYY-MM-DDThh:mm:ss+0000`'

export const MobileAppBody = Type.Object(
  {
    references: Type.Object({ organization: Type.String() }, { description: 'URLs of related data' }),
    guid: Type.String({ description: 'The `app_guid` of deep links' }),
    organization_guid: Type.String(),
    name: Type.String(),
    os: Type.String({ description: '`ios` or `android`' }),
    store_url: Type.String({ description: 'App store page; empty if there is none' }),
    uri_scheme: Type.String({ description: '`myapp` for `myapp://...`' }),
    package_name: Type.Optional(Type.String({ description: 'Android only' })),
    sha256_cert_fingerprints: Type.Optional(Type.Array(Type.String(), { description: 'Android only' })),
    app_id: Type.Optional(Type.String({ description: 'iOS only: `<team id>.<bundle id>`' })),
    paths: Type.Optional(Type.Array(Type.String(), { description: 'iOS only: paths that open in the app' })),
    on_built_in_domains: Type.Boolean({
      description:
        'The operator allows it to open links of the built-in domains; changing its package name, fingerprints or app id revokes this',
    }),
    created: Type.String({ description: time }),
    modified: Type.String({ description: time }),
  },
  { $id: 'MobileApp' },
)

const text = (description: string, shape: object) => Type.Optional(Type.String({ ...bounds(shape), description }))
const texts = (description: string, shape: object) =>
  Type.Optional(Type.Array(Type.String(bounds(shape)), { ...bounds({ maxItems: maxEntries }), description }))
const details = {
  store_url: optionalText('http or https; send an empty string to remove it', {
    ...emptyRemoves,
    ...webUrlOrNoneBounds,
  }),
  package_name: text('Android: `com.example.app`, for assetlinks.json', {
    maxLength: maxTextLength,
    pattern: '^[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)+$',
  }),
  sha256_cert_fingerprints: texts('Android: SHA-256 of the signing certificates, with or without colons', {
    pattern: '^:*([0-9A-Fa-f]:*){64}$',
  }),
  app_id: text('iOS: `<team id>.<bundle id>`, for apple-app-site-association', {
    maxLength: maxTextLength,
    pattern: '^[A-Za-z0-9]{10}(\\.[A-Za-z0-9-]+)+$',
  }),
  paths: texts('iOS: `*`, `/news/*`, `NOT /about`; `*` alone by default', {
    maxLength: maxTextLength,
    pattern: '^(NOT )?(\\*|/[!-~]*)$',
  }),
}
const name = 'At most 255 characters'
const schemeShape = { minLength: 1, pattern: '^[A-Za-z][A-Za-z0-9+.-]{0,63}(:(//)?)?$' }
const scheme = 'A scheme such as `myapp`; not one that browsers use'

const AddBody = Type.Object(
  {
    name: Type.String({ ...nameBounds, description: name }),
    os: Type.String({ ...bounds({ enum: ['ios', 'android'] }), description: '`ios` or `android`' }),
    uri_scheme: Type.String({ ...bounds(schemeShape), description: scheme }),
    ...details,
  },
  {
    examples: [
      {
        name: 'Shop',
        os: 'ios',
        uri_scheme: 'shop',
        store_url: 'https://apps.example.com/shop',
        app_id: 'ABCDE12345.com.example.shop',
        paths: ['/products/*'],
      },
    ],
  },
)
const ChangeBody = Type.Object(
  {
    name: Type.Optional(Type.String({ ...nameBounds, description: name })),
    uri_scheme: text(scheme, schemeShape),
    ...details,
  },
  { examples: [{ name: 'Shop for Europe', store_url: 'https://apps.example.com/shop-eu' }] },
)

export function mobileAppRoutes(http: TypedFastify, deps: MobileAppRouteDeps): void {
  const { baseUrl } = deps.config
  const tag = 'Mobile apps'

  route(http, tag, 'listMobileApps: GET /v4/organizations/:organization_guid/mobile_apps', {
    scope: ['links:read', 'domains'],
    list: { name: 'mobile_apps', by: 'guid' },
    access: organizationMember,
    summary: 'List the mobile apps of an organization',
    description: 'Oldest first. Every member may read them, to choose one for a deep link.',
    response: { 200: listAnswer('mobile_apps', named(MobileAppBody, 'A mobile app'), 'All of them, oldest first') },
    answer: async ({ actor, params }) => {
      const apps = await listMobileApps(deps, actor, params.organization_guid)
      return { mobile_apps: apps.map((app) => presentApp(app, baseUrl)) }
    },
  })

  route(http, tag, 'createMobileApp: POST /v4/organizations/:organization_guid/mobile_apps', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Register a mobile app',
    description:
      'Deep links refer to it by its guid. The association files of the branded domains of its organization list it.',
    body: AddBody,
    response: { 201: named(MobileAppBody, 'The new app') },
    idempotent: true,
    answer: async ({ actor, params, body }) => {
      const input = { ...detailsFrom(body), name: body.name, os: body.os, uriScheme: body.uri_scheme }
      const app = await addMobileApp(deps, actor, params.organization_guid, input)
      return presentApp(app, baseUrl)
    },
  })

  route(http, tag, 'getMobileApp: GET /v4/organizations/:organization_guid/mobile_apps/:app_guid', {
    scope: ['links:read', 'domains'],
    access: organizationMember,
    summary: 'Get a mobile app',
    description: 'With what its association files need.',
    response: { 200: named(MobileAppBody, 'The application'), ...refusals(404) },
    answer: async ({ actor, params }) =>
      presentApp(await readMobileApp(deps, actor, params.organization_guid, params.app_guid), baseUrl),
  })

  route(http, tag, 'updateMobileApp: PATCH /v4/organizations/:organization_guid/mobile_apps/:app_guid', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Update a mobile app',
    description: 'Fields that are not sent stay unchanged. The operating system cannot be changed; `os` is ignored.',
    body: ChangeBody,
    response: { 200: named(MobileAppBody, 'The updated app'), ...refusals(404) },
    answer: async ({ actor, params, body }) => {
      const input = { ...detailsFrom(body), name: body.name, uriScheme: body.uri_scheme }
      return presentApp(await updateMobileApp(deps, actor, params.organization_guid, params.app_guid, input), baseUrl)
    },
  })

  route(http, tag, 'deleteMobileApp: DELETE /v4/organizations/:organization_guid/mobile_apps/:app_guid', {
    scope: 'domains',
    access: organizationAdmin,
    summary: 'Delete a mobile app',
    description: 'Deep links that refer to it are kept; they send visitors to the web page.',
    response: { 204: Type.Null({ description: 'The app was deleted' }), ...refusals(404) },
    answer: ({ actor, params }) => removeMobileApp(deps, actor, params.organization_guid, params.app_guid),
  })
}

function detailsFrom(body: Static<typeof ChangeBody>) {
  return {
    storeUrl: body.store_url,
    packageName: body.package_name,
    sha256CertFingerprints: body.sha256_cert_fingerprints,
    appId: body.app_id,
    paths: body.paths,
  }
}

function presentApp(app: MobileApp, baseUrl: string): Static<typeof MobileAppBody> {
  const { association } = app
  return {
    references: { organization: `${baseUrl}/v4/organizations/${app.organizationGuid}` },
    guid: app.guid,
    organization_guid: app.organizationGuid,
    name: app.name,
    os: association.os,
    store_url: app.storeUrl,
    uri_scheme: app.uriScheme,
    ...(association.os === 'android'
      ? { package_name: association.packageName, sha256_cert_fingerprints: [...association.fingerprints] }
      : { app_id: association.appId, paths: [...association.paths] }),
    on_built_in_domains: app.isAllowed,
    created: timestamp(app.createdAt),
    modified: timestamp(app.modifiedAt),
  }
}
