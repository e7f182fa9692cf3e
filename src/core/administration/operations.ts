import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type Actor, requireOperator } from '../accounts/actor.js'
import {
  type ApplicationDeps,
  listApplications,
  registerApplication,
  revokeApplication,
} from '../accounts/applications.js'
import { createToken, labelToken, listTokens, revokeToken, type TokenDeps } from '../accounts/tokens.js'
import { createUser, listUsers, removeUser, type UserDeps, type UserListDeps } from '../accounts/users.js'
import type { ImportProgress, Imports } from '../clicks/imports.js'
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
  type IdentityAdministrationDeps,
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
  IdentityAdministrationDeps &
  MobileAppAdministrationDeps &
  PlanAdministrationDeps &
  StreamAdministrationDeps &
  WebhookAdministrationDeps &
  ImportAdministrationDeps &
  ClickCopyDeps &
  PrivacyDeps

const text = Type.String({ maxLength: 1000 })
const longText = Type.String({ maxLength: 10_000 })

const ClicksOfArchive = Type.Object({ groups: Type.Optional(Type.Array(text)), before: Type.Number() })

const operations = {
  createToken: operation(
    Type.Object({ login: text, label: Type.Optional(text), answersIn: Type.Optional(text) }),
    createToken,
  ),
  listTokens: unaudited(Type.Object({ login: Type.Optional(text) }), listTokens),
  revokeToken: operation(Type.Object({ guid: text }), revokeToken),
  labelToken: operation(Type.Object({ guid: text, label: text }), labelToken),
  createUser: operation(
    Type.Object({
      login: text,
      name: Type.Optional(text),
      email: Type.Optional(text),
      password: Type.Optional(text),
      groupGuid: Type.Optional(text),
    }),
    createUser,
  ),
  listUsers: unaudited(Type.Object({}), listUsers),
  removeUser: operation(Type.Object({ login: text }), removeUser),
  setPassword: operation(Type.Object({ login: text, password: Type.Optional(text) }), setPassword),
  setEmail: operation(Type.Object({ login: text, email: text }), setEmail),
  turnTwoFactorOff: operation(Type.Object({ login: text }), turnTwoFactorOff),
  deactivateUser: operation(Type.Object({ login: text }), deactivateUser),
  activateUser: operation(Type.Object({ login: text }), activateUser),
  invite: operation(
    Type.Object({
      email: text,
      role: Type.Optional(
        Type.Union([
          Type.Literal('org-admin'),
          Type.Literal('group-admin'),
          Type.Literal('member'),
          Type.Literal('reader'),
        ]),
      ),
      groupGuid: Type.Optional(text),
    }),
    invite,
  ),
  listInvitations: operation(Type.Object({}), listInvitations),
  revokeInvitation: operation(Type.Object({ guid: text }), revokeInvitation),
  rotateApplicationSecret: operation(Type.Object({ clientId: text }), rotateApplicationSecret),
  listAuditLog: operation(
    Type.Object({
      login: Type.Optional(text),
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      searchAfter: Type.Optional(text),
    }),
    listAuditLog,
  ),
  createOrganization: operation(Type.Object({ name: text, admin: text }), createOrganization),
  listOrganizations: unaudited(Type.Object({}), listOrganizations),
  renameOrganization: operation(Type.Object({ guid: text, name: text }), renameOrganization),
  readPlan: operation(Type.Object({ organizationGuid: text }), readPlan),
  setPlan: operation(
    Type.Object({ organizationGuid: text, plan: text, force: Type.Optional(Type.Boolean()) }),
    setPlan,
  ),
  createGroup: operation(Type.Object({ name: text, organizationGuid: Type.Optional(text) }), createGroup),
  listGroups: unaudited(Type.Object({}), listGroups),
  renameGroup: operation(Type.Object({ guid: text, name: text }), renameGroup),
  removeGroup: operation(Type.Object({ guid: text }), removeGroup),
  restoreGroup: operation(Type.Object({ guid: text }), restoreGroup),
  listMembers: unaudited(Type.Object({}), listMembers),
  setMember: operation(
    Type.Object({
      login: text,
      role: Type.Union([Type.Literal('admin'), Type.Literal('member'), Type.Literal('reader')]),
      groupGuid: Type.Optional(text),
      organizationGuid: Type.Optional(text),
    }),
    setMember,
  ),
  removeMember: operation(
    Type.Object({ login: text, groupGuid: Type.Optional(text), organizationGuid: Type.Optional(text) }),
    removeMember,
  ),
  registerApplication: operation(
    Type.Object({
      name: text,
      login: text,
      description: Type.Optional(Type.String({ maxLength: 5000 })),
      link: Type.Optional(Type.String({ maxLength: 2048 })),
      redirectUris: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 20 })),
      requirePkce: Type.Optional(Type.Boolean()),
      answersIn: Type.Optional(text),
    }),
    registerApplication,
  ),
  listApplications: unaudited(Type.Object({ login: Type.Optional(text) }), listApplications),
  revokeApplication: operation(Type.Object({ clientId: text }), revokeApplication),
  addMobileApp: operation(
    Type.Object({
      name: text,
      os: text,
      uriScheme: text,
      organizationGuid: Type.Optional(text),
      storeUrl: Type.Optional(longText),
      packageName: Type.Optional(text),
      sha256CertFingerprints: Type.Optional(Type.Array(text)),
      appId: Type.Optional(text),
      paths: Type.Optional(Type.Array(text)),
      allow: Type.Optional(Type.Boolean()),
    }),
    addMobileApp,
  ),
  allowMobileApp: operation(Type.Object({ guid: text, allow: Type.Boolean() }), allowMobileApp),
  listMobileApps: unaudited(Type.Object({ organizationGuid: Type.Optional(text) }), listMobileApps),
  removeMobileApp: operation(Type.Object({ guid: text }), removeMobileApp),
  allowStream: operation(
    Type.Object({ organizationGuid: Type.Optional(text), login: Type.Optional(text) }),
    allowStream,
  ),
  denyStream: operation(Type.Object({ organizationGuid: Type.Optional(text), login: Type.Optional(text) }), denyStream),
  listStreamReaders: unaudited(Type.Object({}), listStreamReaders),
  watchStream: unaudited(Type.Object({ topic: Type.Optional(text) }), watchStream),
  listWebhooks: unaudited(Type.Object({ organizationGuid: Type.Optional(text) }), listWebhooks),
  webhookLog: unaudited(
    Type.Object({
      guid: text,
      size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
      onlyFailed: Type.Optional(Type.Boolean()),
    }),
    webhookLog,
  ),
  setWebhookWord: operation(Type.Object({ guid: text, word: text }), setWebhookWord),
  redeliverWebhook: unaudited(
    Type.Object({ guid: text, delivery: Type.Optional(text), since: Type.Optional(text) }),
    redeliverWebhook,
  ),
  clickPartitions: unaudited(ClicksOfArchive, clickPartitions),
  writeClicks: unaudited(
    Type.Intersect([
      ClicksOfArchive,
      Type.Object({ from: Type.Number(), parquet: Type.Optional(longText), ndjson: Type.Optional(longText) }),
    ]),
    writeClicks,
  ),
  copyClicks: unaudited(
    Type.Object({ folder: longText, known: Type.Array(Type.Object({ name: text, fingerprint: text })) }),
    copyClicks,
  ),
  forgetUser: operation(Type.Object({ login: text, dryRun: Type.Boolean() }), forgetUser),
  forgetLink: operation(Type.Object({ link: longText, dryRun: Type.Boolean() }), forgetLink),
  forgetClicks: unaudited(
    Type.Union([
      Type.Object({
        visitor: Type.String({ pattern: '^\\d{1,20}$' }),
        from: Type.Number(),
        before: Type.Number(),
        dryRun: Type.Boolean(),
      }),
      Type.Object({ addresses: Type.Array(longText), dryRun: Type.Boolean() }),
    ]),
    forgetClicks,
  ),
  startImport: unaudited(Type.Object({ file: longText }), startImport),
  importProgress: unaudited(Type.Object({}), importProgress),
  addDomain: operation(
    Type.Object({
      domain: text,
      organizationGuid: Type.Optional(text),
      groupGuids: Type.Optional(Type.Array(text)),
      rootUrl: Type.Optional(longText),
      notFoundUrl: Type.Optional(longText),
    }),
    addDomain,
  ),
  listDomains: operation(Type.Object({ organizationGuid: Type.Optional(text) }), listDomains),
  renameDomain: operation(Type.Object({ from: text, to: text }), renameDomain),
  setDomain: operation(
    Type.Object({ domain: text, rootUrl: Type.Optional(longText), notFoundUrl: Type.Optional(longText) }),
    setDomain,
  ),
  verifyDomain: operation(Type.Object({ domain: text }), verifyDomain),
  assignDomain: operation(Type.Object({ domain: text, groupGuid: text }), assignDomain),
  unassignDomain: operation(Type.Object({ domain: text, groupGuid: text }), unassignDomain),
  removeDomain: operation(Type.Object({ domain: text }), removeDomain),
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

function operation<Schema extends TSchema, Input, Result>(
  schema: Schema & (Static<Schema> extends Input ? unknown : never),
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
      // Checked above; the type of `schema` ensures that valid arguments are an Input.
      return run(deps, actor, given as Input)
    },
  }
}

/** An operation without an actor: it writes no audit entry and needs no further permission. */
function unaudited<Schema extends TSchema, Input, Result>(
  schema: Schema & (Static<Schema> extends Input ? unknown : never),
  run: (deps: AdministrationDeps, input: Input) => Promise<Result>,
) {
  return operation(schema, (deps: AdministrationDeps, _actor: Actor, input: Input) => run(deps, input))
}

interface ImportAdministrationDeps {
  /** Undefined on a stopped service, where the command imports the file itself. */
  readonly imports?: Imports
}

/** Starts an import of a file that the service can read, or returns the progress of a running import of this file. */
async function startImport(deps: ImportAdministrationDeps, input: { file: string }): Promise<ImportProgress> {
  return importsOf(deps).start(input.file)
}

async function importProgress(deps: ImportAdministrationDeps): Promise<ImportProgress> {
  return importsOf(deps).progress()
}

function importsOf({ imports }: ImportAdministrationDeps): Imports {
  if (imports) return imports
  throw new Refusal('TEMPORARILY_UNAVAILABLE', 'Imports run in the service. Start it first.')
}
