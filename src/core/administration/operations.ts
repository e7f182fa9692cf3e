import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Actor, requireOperator } from '../accounts/actor.js'
import {
  type ApplicationDeps,
  listApplications,
  registerApplication,
  revokeApplication,
} from '../accounts/applications.js'
import { createToken, labelToken, listTokens, revokeToken, rotateToken, type TokenDeps } from '../accounts/tokens.js'
import { createUser, listUsers, removeUser, type UserDeps, type UserListDeps } from '../accounts/users.js'
import type { ImportProgress, Imports } from '../clicks/imports.js'
import type { JournalDeliveries, JournalProgress } from '../clicks/journal-delivery.js'
import { forgetClicks, forgetLink, forgetUser, type PrivacyDeps } from '../privacy/forget.js'
import { invalid, Refusal } from '../values/refusal.js'
import { type ClickCopyDeps, clickPartitions, copyClicks, writeClicks } from './click-copies.js'
import {
  addDomain,
  assignDomain,
  type DomainAdministrationDeps,
  listDomains,
  removeDomain,
  renameDomain,
  setDomain,
  unassignDomain,
  verifyDomain,
} from './domains.js'
import {
  createGroup,
  createOrganization,
  type GroupDeps,
  listGroups,
  listOrganizations,
  type PlanAdministrationDeps,
  readPlan,
  removeGroup,
  renameGroup,
  renameOrganization,
  restoreGroup,
  setPlan,
} from './groups.js'
import {
  activateUser,
  deactivateUser,
  type IdentityDeps,
  invite,
  listAuditLog,
  listInvitations,
  revokeInvitation,
  rotateApplicationSecret,
  setEmail,
  setPassword,
  turnTwoFactorOff,
} from './identity.js'
import { listMembers, type MemberDeps, removeMember, setMember } from './members.js'
import {
  addMobileApp,
  allowMobileApp,
  listMobileApps,
  type MobileAppAdministrationDeps,
  removeMobileApp,
} from './mobile-apps.js'
import { allowStream, denyStream, listStreamReaders, type StreamAdministrationDeps, watchStream } from './stream.js'
import {
  listWebhooks,
  redeliverWebhook,
  setWebhookWord,
  type WebhookAdministrationDeps,
  webhookLog,
} from './webhooks.js'

/**
 * The operator's commands by name. The running service (control socket) and a command on a stopped service both run this
 * table, so that both do the same. Must not know which of the two calls it.
 */
export type AdministrationDeps = TokenDeps &
  UserDeps &
  UserListDeps &
  ApplicationDeps &
  GroupDeps &
  MemberDeps &
  DomainAdministrationDeps &
  IdentityDeps &
  MobileAppAdministrationDeps &
  PlanAdministrationDeps &
  StreamAdministrationDeps &
  WebhookAdministrationDeps &
  ImportAdministrationDeps &
  ClickCopyDeps &
  PrivacyDeps

const text = Type.String({ maxLength: 1000 })
const longText = Type.String({ maxLength: 10_000 })

const optional = Type.Optional(text)
const optionalLong = Type.Optional(longText)

const clicksOfArchive = { groups: Type.Optional(Type.Array(text)), before: Type.Number() }

const operations = {
  createToken: operation(
    {
      login: text,
      label: text,
      answersIn: optional,
      scopes: Type.Optional(Type.Array(text)),
      groupGuids: Type.Optional(Type.Array(text)),
      domains: Type.Optional(Type.Array(text)),
      expiresAt: Type.Optional(Type.Number()),
    },
    createToken,
  ),
  rotateToken: operation({ guid: text, overlap: Type.Number(), expiresAt: Type.Optional(Type.Number()) }, rotateToken),
  listTokens: unaudited({ login: optional }, listTokens),
  revokeToken: operation({ guid: text }, revokeToken),
  labelToken: operation({ guid: text, label: text }, labelToken),
  createUser: operation(
    {
      login: text,
      name: optional,
      email: optional,
      password: optional,
      groupGuid: optional,
    },
    createUser,
  ),
  listUsers: unaudited({}, listUsers),
  removeUser: operation({ login: text }, removeUser),
  setPassword: operation({ login: text, password: optional }, setPassword),
  setEmail: operation({ login: text, email: text }, setEmail),
  turnTwoFactorOff: operation({ login: text }, turnTwoFactorOff),
  deactivateUser: operation({ login: text }, deactivateUser),
  activateUser: operation({ login: text }, activateUser),
  invite: operation(
    {
      email: text,
      role: Type.Optional(
        Type.Union([
          Type.Literal('org-admin'),
          Type.Literal('auditor'),
          Type.Literal('group-admin'),
          Type.Literal('member'),
          Type.Literal('reader'),
        ]),
      ),
      groupGuid: optional,
    },
    invite,
  ),
  listInvitations: operation({}, listInvitations),
  revokeInvitation: operation({ guid: text }, revokeInvitation),
  rotateApplicationSecret: operation({ clientId: text }, rotateApplicationSecret),
  listAuditLog: operation(
    {
      login: optional,
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      searchAfter: optional,
    },
    listAuditLog,
  ),
  createOrganization: operation({ name: text, admin: text }, createOrganization),
  listOrganizations: unaudited({}, listOrganizations),
  renameOrganization: operation({ guid: text, name: text }, renameOrganization),
  readPlan: operation({ organizationGuid: text }, readPlan),
  setPlan: operation({ organizationGuid: text, plan: text, force: Type.Optional(Type.Boolean()) }, setPlan),
  createGroup: operation({ name: text, organizationGuid: optional }, createGroup),
  listGroups: unaudited({}, listGroups),
  renameGroup: operation({ guid: text, name: text }, renameGroup),
  removeGroup: operation({ guid: text }, removeGroup),
  restoreGroup: operation({ guid: text }, restoreGroup),
  listMembers: unaudited({}, listMembers),
  setMember: operation(
    {
      login: text,
      role: Type.Union([
        Type.Literal('admin'),
        Type.Literal('auditor'),
        Type.Literal('member'),
        Type.Literal('reader'),
      ]),
      groupGuid: optional,
      organizationGuid: optional,
    },
    setMember,
  ),
  removeMember: operation({ login: text, groupGuid: optional, organizationGuid: optional }, removeMember),
  registerApplication: operation(
    {
      name: text,
      login: text,
      description: Type.Optional(Type.String({ maxLength: 5000 })),
      link: Type.Optional(Type.String({ maxLength: 2048 })),
      redirectUris: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 20 })),
      requirePkce: Type.Optional(Type.Boolean()),
      scopes: Type.Optional(Type.Array(text)),
      answersIn: optional,
    },
    registerApplication,
  ),
  listApplications: unaudited({ login: optional }, listApplications),
  revokeApplication: operation({ clientId: text }, revokeApplication),
  addMobileApp: operation(
    {
      name: text,
      os: text,
      uriScheme: text,
      organizationGuid: optional,
      storeUrl: optionalLong,
      packageName: optional,
      sha256CertFingerprints: Type.Optional(Type.Array(text)),
      appId: optional,
      paths: Type.Optional(Type.Array(text)),
      allow: Type.Optional(Type.Boolean()),
    },
    addMobileApp,
  ),
  allowMobileApp: operation({ guid: text, allow: Type.Boolean() }, allowMobileApp),
  listMobileApps: unaudited({ organizationGuid: optional }, listMobileApps),
  removeMobileApp: operation({ guid: text }, removeMobileApp),
  allowStream: operation({ organizationGuid: optional, login: optional }, allowStream),
  denyStream: operation({ organizationGuid: optional, login: optional }, denyStream),
  listStreamReaders: unaudited({}, listStreamReaders),
  watchStream: unaudited({ topic: optional }, watchStream),
  listWebhooks: unaudited({ organizationGuid: optional }, listWebhooks),
  webhookLog: unaudited(
    {
      guid: text,
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      onlyFailed: Type.Optional(Type.Boolean()),
    },
    webhookLog,
  ),
  setWebhookWord: operation({ guid: text, word: text }, setWebhookWord),
  redeliverWebhook: unaudited({ guid: text, delivery: optional, since: optional }, redeliverWebhook),
  clickPartitions: unaudited(clicksOfArchive, clickPartitions),
  writeClicks: unaudited(
    { ...clicksOfArchive, from: Type.Number(), parquet: optionalLong, ndjson: optionalLong },
    writeClicks,
  ),
  copyClicks: unaudited(
    { folder: longText, known: Type.Array(Type.Object({ name: text, fingerprint: text })) },
    copyClicks,
  ),
  forgetUser: operation({ login: text, dryRun: Type.Boolean() }, forgetUser),
  forgetLink: operation({ link: longText, dryRun: Type.Boolean() }, forgetLink),
  forgetClicks: checked(
    Type.Union([
      Type.Object({
        visitor: Type.String({ pattern: '^\\d{1,20}$' }),
        from: Type.Number(),
        before: Type.Number(),
        dryRun: Type.Boolean(),
      }),
      Type.Object({ addresses: Type.Array(longText), dryRun: Type.Boolean() }),
    ]),
    (deps, _actor, input: Parameters<typeof forgetClicks>[1]) => forgetClicks(deps, input),
  ),
  startImport: unaudited({ file: longText }, startImport),
  importProgress: unaudited({}, importProgress),
  startDelivery: unaudited({ folder: longText }, startDelivery),
  deliveryProgress: unaudited({ folder: longText }, deliveryProgress),
  addDomain: operation(
    {
      domain: text,
      organizationGuid: optional,
      groupGuids: Type.Optional(Type.Array(text)),
      rootUrl: optionalLong,
      notFoundUrl: optionalLong,
    },
    addDomain,
  ),
  listDomains: operation({ organizationGuid: optional }, listDomains),
  renameDomain: operation({ from: text, to: text }, renameDomain),
  setDomain: operation({ domain: text, rootUrl: optionalLong, notFoundUrl: optionalLong }, setDomain),
  verifyDomain: operation({ domain: text }, verifyDomain),
  assignDomain: operation({ domain: text, groupGuid: text }, assignDomain),
  unassignDomain: operation({ domain: text, groupGuid: text }, unassignDomain),
  removeDomain: operation({ domain: text }, removeDomain),
}

export type OperationName = keyof typeof operations
export type OperationArguments<Name extends OperationName> = Parameters<(typeof operations)[Name]['run']>[2]
export type OperationResult<Name extends OperationName> = Awaited<ReturnType<(typeof operations)[Name]['run']>>

/** Runs one operation with unchecked arguments. */
export async function operate(deps: AdministrationDeps, actor: Actor, name: string, given: unknown): Promise<unknown> {
  requireOperator(actor)
  const found = Object.entries(operations).find(([known]) => known === name)
  if (!found) throw invalid('operation', `There is no operation "${name}".`, 'users')
  return found[1].start(deps, actor, given)
}

function operation<Fields extends TProperties, Input, Result>(
  fields: Fields & (Static<TObject<Fields>> extends Input ? unknown : never),
  run: (deps: AdministrationDeps, actor: Actor, input: Input) => Promise<Result>,
) {
  return checked(Type.Object(fields), run)
}

/** An operation without an actor: it writes no audit entry and needs no further permission. */
function unaudited<Fields extends TProperties, Input, Result>(
  fields: Fields & (Static<TObject<Fields>> extends Input ? unknown : never),
  run: (deps: AdministrationDeps, input: Input) => Promise<Result>,
) {
  return checked(Type.Object(fields), (deps, _actor, input: Input) => run(deps, input))
}

/** The type of the fields ensures that valid arguments are an Input. */
function checked<Input, Result>(
  schema: TSchema,
  run: (deps: AdministrationDeps, actor: Actor, input: Input) => Promise<Result>,
) {
  return {
    run,
    async start(deps: AdministrationDeps, actor: Actor, given: unknown): Promise<Result> {
      const [problem] = Value.Errors(schema, given)
      if (problem) {
        const where = problem.instancePath.slice(1) || 'arguments'
        throw invalid(where, `${where} ${problem.message}.`, 'users')
      }
      return run(deps, actor, given as Input)
    },
  }
}

interface ImportAdministrationDeps {
  /** Undefined on a stopped service, where the command imports the file itself. */
  readonly imports?: Imports
  /** The same. */
  readonly journalDeliveries?: JournalDeliveries
}

/** Starts an import of a file that the service can read, or returns the progress of a running import of this file. */
async function startImport(deps: ImportAdministrationDeps, input: { file: string }): Promise<ImportProgress> {
  return importsOf(deps).start(input.file)
}

async function importProgress(deps: ImportAdministrationDeps): Promise<ImportProgress> {
  return importsOf(deps).progress()
}

async function startDelivery(deps: ImportAdministrationDeps, input: { folder: string }): Promise<JournalProgress> {
  return deliveriesOf(deps).start(input.folder)
}

async function deliveryProgress(deps: ImportAdministrationDeps, input: { folder: string }): Promise<JournalProgress> {
  return deliveriesOf(deps).progress(input.folder)
}

function deliveriesOf({ journalDeliveries }: ImportAdministrationDeps): JournalDeliveries {
  if (journalDeliveries) return journalDeliveries
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Journals are delivered by the service. Start it first.')
}

function importsOf({ imports }: ImportAdministrationDeps): Imports {
  if (imports) return imports
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Imports run in the service. Start it first.')
}
