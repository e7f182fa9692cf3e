import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../../parts/Card.js'
import { CopyButton } from '../../parts/CopyButton.js'
import page from '../../parts/page.module.css'
import { Rows } from '../../parts/Rows.js'
import { people } from '../../texts/people.js'
import { type Provider, providersQuery } from './queries.js'
import styles from './settings.module.css'

/** How people sign in with a company: facts, since the settings are those that the service was started with. */
export function ProvidersCard() {
  const providers = useQuery(providersQuery)
  const { signIn: words } = people.settings
  const isOn = providers.data?.password_login
  return (
    <Card title={words.title} hint={words.hint}>
      {isOn !== undefined && <p className={page.hint}>{isOn ? words.passwords : words.noPasswords}</p>}
      <Rows
        query={{ ...providers, data: providers.data?.identity_providers }}
        keyOf={({ id }) => id}
        empty={words.none}
        row={(provider) => (
          <div className={styles.provider}>
            <h3>{provider.name}</h3>
            <dl className={styles.facts}>
              {factsOf(provider).map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </div>
        )}
      />
    </Card>
  )
}

function factsOf(provider: Provider): readonly (readonly [string, ReactNode])[] {
  const { signIn: words, roles } = people.settings
  const roleOf = (role: string) => (roles as Readonly<Record<string, string>>)[role] ?? role
  const rules = provider.group_roles.map(({ group, role, in: guid }) => `${group}: ${roleOf(role)} (${guid})`)
  return [
    [words.callback, <ToCopy key="callback" value={provider.callback_url} />],
    [words.backChannel, <ToCopy key="back-channel" value={provider.back_channel_logout_url} />],
    [words.afterSignOut, <ToCopy key="after" value={provider.post_logout_redirect_url} />],
    [words.issuer, <code key="issuer">{provider.issuer}</code>],
    [people.account.clientId, <code key="client">{provider.client_id}</code>],
    [words.secret, provider.has_client_secret ? words.secretSet : words.noSecret],
    [words.scopes, <code key="scopes">{provider.scopes}</code>],
    [words.loginFrom, <code key="login">{provider.login_claim}</code>],
    [words.groupsFrom, <code key="groups">{provider.groups_claim}</code>],
    [words.mayEnter, provider.allowed_groups.join(', ') || words.everybody],
    [words.administrators, provider.admin_group ?? words.byPeople],
    [words.roles, rules.join(', ') || words.byPeople],
    [words.newUsers, provider.create_users ? words.created : words.notCreated],
    [words.linked, provider.link === 'never' ? words.neverLinked : words.linkedByEmail],
    [words.page, provider.auto_redirect ? words.pageSkipped : words.pageShown],
    [words.tokens, provider.end_tokens ? words.tokensEnd : words.tokensStay],
  ]
}

function ToCopy({ value }: { readonly value: string }) {
  return (
    <>
      <code>{value}</code>
      <CopyButton value={value} />
    </>
  )
}
