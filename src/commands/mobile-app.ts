import type { MobileApp } from '../core/mobile-apps/mobile-app-store.js'
import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON instead of text.' }

const guid: Word = { name: 'GUID', description: 'The mobile app, as shown by "mobile-app list" (A...).' }

export const mobileAppAdd: Command = {
  name: 'mobile-app add',
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
    json,
  ],
  options: recordOptions,
  async run({ config, word, flag, switched, print }) {
    const added = await administer(config, 'addMobileApp', {
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
    })
    if (switched('json')) return print(JSON.stringify(added))
    print(`Mobile app ${added.guid} was added to organization ${added.organizationGuid}.`)
    print(`Use "app_guid": "${added.guid}" in deep links.`)
    if (!added.isAllowed) {
      print("Phones open links on the organization's branded domains in it. For the built-in domains, shared by all")
      print(`organizations, run "shortlink mobile-app allow ${added.guid}".`)
    }
  },
}

export const mobileAppList: Command = {
  name: 'mobile-app list',
  summary: 'List mobile apps',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only apps of this organization.' }, json],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const apps = await administer(config, 'listMobileApps', { organizationGuid: flag('organization') })
    if (switched('json')) return print(JSON.stringify(apps))
    if (apps.length === 0) return print('There are no mobile apps.')
    print(
      columns([['GUID', 'NAME', 'OS', 'OPENS', 'IDENTITY', 'BUILT-IN DOMAINS', 'ORGANIZATION'], ...apps.map(row)]).join(
        '\n',
      ),
    )
  },
}

export const mobileAppAllow: Command = {
  name: 'mobile-app allow',
  summary: 'Let a mobile app open links of the built-in domains, shared by all organizations',
  words: [guid],
  flags: [json],
  options: recordOptions,
  run: (context) => setAllowed(context, true),
}

export const mobileAppDeny: Command = {
  name: 'mobile-app deny',
  summary: 'Let a mobile app open links of the branded domains of its organization only',
  words: [guid],
  flags: [json],
  options: recordOptions,
  run: (context) => setAllowed(context, false),
}

async function setAllowed({ config, word, switched, print }: CommandContext, allow: boolean): Promise<void> {
  const app = await administer(config, 'allowMobileApp', { guid: word('GUID'), allow })
  if (switched('json')) return print(JSON.stringify(app))
  print(`The built-in domains ${allow ? 'now list' : 'do not list'} the mobile app ${app.guid}.`)
}

export const mobileAppRemove: Command = {
  name: 'mobile-app remove',
  summary: 'Remove a mobile app; deep links to it then open the web page',
  words: [guid],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const removed = await administer(config, 'removeMobileApp', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify(removed) : `Mobile app ${removed.guid} is removed.`)
  },
}

function row({ guid, name, uriScheme, association, isAllowed, organizationGuid }: MobileApp): string[] {
  const identity = association.os === 'android' ? association.packageName : association.appId
  return [guid, name, association.os, `${uriScheme}://`, identity || '-', isAllowed ? 'allowed' : '-', organizationGuid]
}
