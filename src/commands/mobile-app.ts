import type { MobileApp } from '../core/mobile-apps/mobile-app-store.js'
import { operatorCommand, table } from './administration.js'
import type { Word } from './command.js'

const guid: Word = { name: 'GUID', description: 'The mobile app, as shown by "mobile-app list" (A...).' }

export const mobileAppAdd = operatorCommand('mobile-app add', 'addMobileApp', {
  summary: 'Register a mobile app that deep links open',
  words: [{ name: 'NAME', description: 'Display name of the app.' }],
  flags: [
    { name: 'os', value: 'ios|android', description: 'Operating system of the app.', required: true },
    {
      name: 'uri-scheme',
      value: 'WORD',
      description: 'URI scheme: myapp for links like myapp://page.',
      required: true,
    },
    { name: 'store-url', value: 'URL', description: 'Page of the app in its store.' },
    { name: 'package', value: 'NAME', description: 'Android: package name com.example.app, for assetlinks.json.' },
    {
      name: 'fingerprint',
      value: 'HEX,...',
      description: 'Android: SHA-256 fingerprints of the signing certificates.',
    },
    { name: 'app-id', value: 'ID', description: 'iOS: TEAMID.com.example.app, for apple-app-site-association.' },
    { name: 'path', value: 'PATH,...', description: 'iOS: paths that open in the app; default: *.' },
    { name: 'organization', value: 'GUID', description: 'Organization that owns it; default: the oldest.' },
    { name: 'allow', description: 'Also open links of the built-in domains, like "mobile-app allow".' },
  ],
  input: ({ word, flag, switched }) => ({
    name: word('NAME'),
    os: flag('os') ?? '',
    uriScheme: flag('uri-scheme') ?? '',
    storeUrl: flag('store-url'),
    packageName: flag('package'),
    sha256CertFingerprints: flag('fingerprint')?.split(','),
    appId: flag('app-id'),
    paths: flag('path')?.split(','),
    organizationGuid: flag('organization'),
    allow: switched('allow'),
  }),
  text: ({ guid, organizationGuid, isAllowed }) => [
    `Mobile app ${guid} was added to organization ${organizationGuid}.`,
    `Use "app_guid": "${guid}" in deep links.`,
    ...(isAllowed
      ? []
      : [
          "Phones open links on the organization's branded domains in it. For the built-in domains, shared by all",
          `organizations, run "shortlink mobile-app allow ${guid}".`,
        ]),
  ],
})

export const mobileAppList = operatorCommand('mobile-app list', 'listMobileApps', {
  summary: 'List mobile apps',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only apps of this organization.' }],
  input: ({ flag }) => ({ organizationGuid: flag('organization') }),
  text: (apps) => {
    const heading = ['GUID', 'NAME', 'OS', 'OPENS', 'IDENTITY', 'BUILT-IN DOMAINS', 'ORGANIZATION']
    return table(heading, apps.map(row), 'There are no mobile apps.')
  },
})

export const mobileAppAllow = operatorCommand('mobile-app allow', 'allowMobileApp', {
  summary: 'Let a mobile app open links of the built-in domains, shared by all organizations',
  words: [guid],
  input: ({ word }) => ({ guid: word('GUID'), allow: true }),
  text: (app) => `The built-in domains now list the mobile app ${app.guid}.`,
})

export const mobileAppDeny = operatorCommand('mobile-app deny', 'allowMobileApp', {
  summary: 'Let a mobile app open links of the branded domains of its organization only',
  words: [guid],
  input: ({ word }) => ({ guid: word('GUID'), allow: false }),
  text: (app) => `The built-in domains do not list the mobile app ${app.guid}.`,
})

export const mobileAppRemove = operatorCommand('mobile-app remove', 'removeMobileApp', {
  summary: 'Remove a mobile app; deep links to it then open the web page',
  words: [guid],
  input: ({ word }) => ({ guid: word('GUID') }),
  text: (removed) => `Mobile app ${removed.guid} is removed.`,
})

function row({ guid, name, uriScheme, association, isAllowed, organizationGuid }: MobileApp): string[] {
  const identity = association.os === 'android' ? association.packageName : association.appId
  return [guid, name, association.os, `${uriScheme}://`, identity || '-', isAllowed ? 'allowed' : '-', organizationGuid]
}
