/** The identity providers of the configuration: one by options, or several in a file. Reports all problems together. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type GroupRoleRule, type ProviderSettings, plainIssuer } from '../../core/identity-providers/provider.js'
import { tokenRule } from '../../lib/credentials.js'
import { messageOf } from '../../lib/message-of.js'
import { OperatorError } from '../../lib/operator-error.js'
import { parseUrl } from '../../lib/parse-url.js'
import { isLoopback } from './discovery.js'

export interface ProvidersConfig {
  readonly oidcIssuer: string | undefined
  readonly oidcClientId: string | undefined
  readonly oidcClientSecret: string | undefined
  readonly oidcScopes: string
  readonly oidcName: string | undefined
  readonly oidcLoginClaim: string
  readonly oidcGroupsClaim: string
  readonly oidcAllowedGroups: readonly string[]
  readonly oidcAdminGroup: string | undefined
  /** As `GROUP=ROLE@GUID`. */
  readonly oidcGroupRoles: readonly string[]
  readonly oidcCreateUsers: 'on' | 'off'
  readonly oidcLink: 'never' | 'verified-email'
  readonly oidcAutoRedirect: 'on' | 'off'
  readonly oidcEndTokens: 'on' | 'off'
  readonly oidcProviders: string | undefined
  readonly scimToken: string | undefined
  readonly scimIdClaim: string
  readonly passwordLogin: 'on' | 'off'
}

const text = Type.String({ minLength: 1, maxLength: 255 })
const role = (name: string, guid: string) =>
  Type.Object(
    { group: text, in: Type.String({ pattern: `^${guid}[0-9A-Za-z]{1,63}$` }), role: Type.String({ pattern: name }) },
    { additionalProperties: false },
  )

const Provider = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9-]{1,30}$' }),
    issuer: Type.String({ pattern: '^https?://[^?#]+$' }),
    clientId: text,
    clientSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    /** A file with the secret instead. */
    clientSecretFile: Type.Optional(text),
    scopes: Type.Optional(Type.String({ pattern: '^(.* )?openid( .*)?$' })),
    name: Type.Optional(text),
    loginClaim: Type.Optional(text),
    groupsClaim: Type.Optional(text),
    allowedGroups: Type.Optional(Type.Array(text)),
    adminGroup: Type.Optional(text),
    groupRoles: Type.Optional(
      Type.Array(Type.Union([role('^(reader|member|group-admin)$', 'B'), role('^(org-admin|auditor)$', 'O')])),
    ),
    createUsers: Type.Optional(Type.Boolean()),
    link: Type.Optional(Type.Union([Type.Literal('never'), Type.Literal('verified-email')])),
    autoRedirect: Type.Optional(Type.Boolean()),
    endTokens: Type.Optional(Type.Boolean()),
    scimToken: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z_-]{20,256}$' })),
    scimTokenFile: Type.Optional(text),
    scimIdClaim: Type.Optional(text),
  },
  { additionalProperties: false },
)
const ProvidersFile = Compile(Type.Array(Provider, { minItems: 1, maxItems: 20 }))

export function loadProviders(config: ProvidersConfig): readonly ProviderSettings[] {
  const problems: string[] = []
  const { oidcIssuer, oidcClientId, oidcProviders } = config
  if (oidcIssuer === undefined && oidcClientId !== undefined) problems.push('oidcClientId: set oidcIssuer too.')
  if (oidcIssuer !== undefined && oidcClientId === undefined) problems.push('oidcIssuer: set oidcClientId too.')
  if (oidcIssuer !== undefined && oidcProviders !== undefined)
    problems.push('oidcProviders: remove oidcIssuer, and put that provider into the file.')
  const providers = oidcProviders === undefined ? ofOptions(config) : inFile(oidcProviders, problems)
  if (config.scimToken !== undefined && oidcProviders !== undefined)
    problems.push('scimToken: put it into the file of oidcProviders, for the provider that uses it.')
  else if (config.scimToken !== undefined && oidcIssuer === undefined)
    problems.push('scimToken: set oidcIssuer too, because people whom SCIM creates sign in there.')
  const tokens = providers.flatMap(({ scimToken }) => scimToken ?? [])
  if (new Set(tokens).size < tokens.length)
    problems.push('oidcProviders: each scimToken can be that of one provider only.')
  if (config.passwordLogin === 'off' && providers.length === 0 && problems.length === 0)
    problems.push('passwordLogin: off needs an identity provider. Set oidcIssuer or oidcProviders.')
  if (providers.filter(({ autoRedirect }) => autoRedirect).length > 1)
    problems.push('oidcProviders: autoRedirect can be true for one provider only.')
  for (const list of [providers.map(({ id }) => id), providers.map(({ issuer }) => plainIssuer(issuer))]) {
    const twice = list.find((each, index) => list.indexOf(each) !== index)
    if (twice !== undefined) problems.push(`oidcProviders: "${twice}" is there twice.`)
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return providers
}

function ofOptions(config: ProvidersConfig): readonly ProviderSettings[] {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config
  if (issuer === undefined || clientId === undefined) return []
  return [
    {
      id: 'oidc',
      name: config.oidcName ?? new URL(issuer).host,
      issuer,
      clientId,
      clientSecret: config.oidcClientSecret,
      scopes: config.oidcScopes,
      loginClaim: config.oidcLoginClaim,
      groupsClaim: config.oidcGroupsClaim,
      allowedGroups: config.oidcAllowedGroups,
      adminGroup: config.oidcAdminGroup,
      groupRoles: config.oidcGroupRoles.map(ruleOf),
      createUsers: config.oidcCreateUsers === 'on',
      link: config.oidcLink,
      autoRedirect: config.oidcAutoRedirect === 'on',
      endTokens: config.oidcEndTokens === 'on',
      scimToken: config.scimToken,
      scimIdClaim: config.scimIdClaim,
    },
  ]
}

/** `GROUP=ROLE@GUID`, where the group may contain any of these signs. */
function ruleOf(rule: string): GroupRoleRule {
  const [, group = '', given = '', guid = ''] = /^(.+)=([a-z-]+)@(\w+)$/.exec(rule) ?? []
  return { group, role: given as GroupRoleRule['role'], in: guid }
}

function inFile(path: string, problems: string[]): readonly ProviderSettings[] {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    // The parser quotes the text around the error, which may be a secret.
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : messageOf(error)
    problems.push(`oidcProviders: cannot read ${path} (${reason}).`)
    return []
  }
  if (!ProvidersFile.Check(content)) {
    for (const { instancePath, message } of ProvidersFile.Errors(content)) {
      problems.push(`oidcProviders: ${path} is not valid at ${instancePath || '/'}: ${message}.`)
    }
    return []
  }
  return content.map((each) => settingsOf(each, path, problems))
}

function settingsOf(given: Static<typeof Provider>, path: string, problems: string[]): ProviderSettings {
  const { id, issuer, clientId } = given
  const url = parseUrl(issuer)
  if (url?.protocol !== 'https:' && !(url && isLoopback(url)))
    problems.push(`oidcProviders: the issuer of "${id}" must be an https URL; http is only for this machine.`)
  return {
    id,
    name: given.name ?? url?.host ?? id,
    issuer,
    clientId,
    clientSecret: secretOf(given, 'clientSecret', path, problems),
    scopes: given.scopes ?? 'openid profile email',
    loginClaim: given.loginClaim ?? 'preferred_username',
    groupsClaim: given.groupsClaim ?? 'groups',
    allowedGroups: given.allowedGroups ?? [],
    adminGroup: given.adminGroup,
    groupRoles: (given.groupRoles ?? []) as readonly GroupRoleRule[],
    createUsers: given.createUsers ?? true,
    link: given.link ?? 'never',
    autoRedirect: given.autoRedirect ?? false,
    endTokens: given.endTokens ?? false,
    scimToken: secretOf(given, 'scimToken', path, problems),
    scimIdClaim: given.scimIdClaim ?? 'sub',
  }
}

function secretOf(
  given: Static<typeof Provider>,
  name: 'clientSecret' | 'scimToken',
  path: string,
  problems: string[],
): string | undefined {
  const file = given[`${name}File`]
  if (file === undefined) return given[name]
  if (given[name] !== undefined) problems.push(`oidcProviders: "${given.id}" has ${name} and ${name}File.`)
  try {
    const secret = readFileSync(resolve(dirname(path), file), 'utf8').replace(/\r?\n$/, '')
    if (name === 'clientSecret' || tokenRule.test(secret)) return secret
    problems.push(`oidcProviders: the scimToken of "${given.id}" is not allowed. Allowed: ${tokenRule.allowed}.`)
  } catch (error) {
    const what = name === 'clientSecret' ? 'secret' : 'scimToken'
    problems.push(`oidcProviders: cannot read the ${what} of "${given.id}" (${messageOf(error)}).`)
  }
  return undefined
}
