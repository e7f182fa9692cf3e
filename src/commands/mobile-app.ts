import type { MobileApp } from '../core/mobile-apps/mobile-app.js'
import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command, CommandContext, Flag, Word } from './command.js'

const json: Flag = { name: 'json', description: 'Print JSON for a program instead of text for people.' }

const guid: Word = { name: 'GUID', description: 'The application, as "mobile-app list" shows it (A...).' }

export const mobileAppAdd: Command = {
  name: 'mobile-app add',
  summary: 'Register a mobile application that deep links open',
  words: [{ name: 'NAME', description: 'What people call the application.' }],
  flags: [
    { name: 'os', value: 'ios|android', description: 'The system it runs on.', required: true },
    { name: 'uri-scheme', value: 'WORD', description: 'myapp for addresses like myapp://page.', required: true },
    { name: 'store-url', value: 'URL', description: 'Where people get it.' },
    { name: 'package', value: 'NAME', description: 'Android: com.example.app, for assetlinks.json.' },
    { name: 'fingerprint', value: 'HEX,...', description: 'Android: SHA-256 of the signing certificates.' },
    { name: 'app-id', value: 'ID', description: 'iOS: TEAMID.com.example.app, for apple-app-site-association.' },
    { name: 'path', value: 'PATH,...', description: 'iOS: the paths that open in it; * unless given.' },
    { name: 'organization', value: 'GUID', description: 'Whose it is; the oldest unless given.' },
    { name: 'allow', description: 'Let it open links of the built-in domains, too, as "mobile-app allow" does.' },
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
    print(`Mobile application ${added.guid} was added to organization ${added.organizationGuid}.`)
    print(`Deep links name it with "app_guid": "${added.guid}".`)
    if (!added.isAllowed) {
      print("Phones open links of the organization's branded domains in it. Built-in domains are shared by all:")
      print(`"shortlink mobile-app allow ${added.guid}" adds them.`)
    }
  },
}

export const mobileAppList: Command = {
  name: 'mobile-app list',
  summary: 'List mobile applications',
  flags: [{ name: 'organization', value: 'GUID', description: 'Only those of one organization.' }, json],
  options: recordOptions,
  async run({ config, flag, switched, print }) {
    const apps = await administer(config, 'listMobileApps', { organizationGuid: flag('organization') })
    if (switched('json')) return print(JSON.stringify(apps))
    if (apps.length === 0) return print('There are no mobile applications.')
    print(
      columns([['GUID', 'NAME', 'OS', 'OPENS', 'IDENTITY', 'BUILT-IN DOMAINS', 'ORGANIZATION'], ...apps.map(row)]).join(
        '\n',
      ),
    )
  },
}

export const mobileAppAllow: Command = {
  name: 'mobile-app allow',
  summary: 'Let a mobile application open links of the built-in domains, which are of all organizations',
  words: [guid],
  flags: [json],
  options: recordOptions,
  run: (context) => setAllowed(context, true),
}

export const mobileAppDeny: Command = {
  name: 'mobile-app deny',
  summary: 'Let a mobile application open links of the branded domains of its organization only',
  words: [guid],
  flags: [json],
  options: recordOptions,
  run: (context) => setAllowed(context, false),
}

async function setAllowed({ config, word, switched, print }: CommandContext, allow: boolean): Promise<void> {
  const app = await administer(config, 'allowMobileApp', { guid: word('GUID'), allow })
  if (switched('json')) return print(JSON.stringify(app))
  print(`The built-in domains ${allow ? 'now list' : 'do not list'} the mobile application ${app.guid}.`)
}

export const mobileAppRemove: Command = {
  name: 'mobile-app remove',
  summary: 'Forget a mobile application; deep links that name it lead to the web page',
  words: [guid],
  flags: [json],
  options: recordOptions,
  async run({ config, word, switched, print }) {
    const removed = await administer(config, 'removeMobileApp', { guid: word('GUID') })
    print(switched('json') ? JSON.stringify(removed) : `Mobile application ${removed.guid} is removed.`)
  },
}

function row({ guid, name, uriScheme, association, isAllowed, organizationGuid }: MobileApp): string[] {
  const identity = association.os === 'android' ? association.packageName : association.appId
  return [guid, name, association.os, `${uriScheme}://`, identity || '-', isAllowed ? 'allowed' : '-', organizationGuid]
}
