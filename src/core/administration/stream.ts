import type { Actor } from '../accounts/actor.js'
import { serviceClicks } from '../stream/access.js'
import { allowReader, denyReader, type ManageAccessDeps } from '../stream/manage-access.js'
import type { Stream, WatchedTopic } from '../stream/stream.js'
import type { AllowedReader, StreamReader } from '../stream/stream-store.js'
import { invalid, Refusal } from '../values/refusal.js'

export interface StreamAdministrationDeps extends Omit<ManageAccessDeps, 'stream'> {
  readonly stream?: Pick<Stream, 'accessChanged' | 'watch'>
}

/** Exactly one of the two. */
export interface ReaderInput {
  readonly organizationGuid?: string | undefined
  readonly login?: string | undefined
}

export async function allowStream(
  deps: StreamAdministrationDeps,
  actor: Actor,
  input: ReaderInput,
): Promise<StreamReader> {
  const reader = readerOf(input)
  await allowReader(deps, reader, actor.login)
  return reader
}

export async function denyStream(
  deps: StreamAdministrationDeps,
  actor: Actor,
  input: ReaderInput,
): Promise<StreamReader> {
  const reader = readerOf(input)
  if (await denyReader(deps, reader, actor.login)) return reader
  throw new Refusal('NOT_FOUND', `The ${reader.kind} "${reader.subject}" was not allowed to read the stream.`)
}

export async function listStreamReaders(deps: StreamAdministrationDeps): Promise<readonly AllowedReader[]> {
  return deps.streamStore.allowedReaders()
}

/** Follows a topic, for `stream tail`. */
export async function watchStream(
  { stream }: StreamAdministrationDeps,
  { topic = serviceClicks }: { topic?: string | undefined },
): Promise<WatchedTopic> {
  if (!stream) throw refused('The service is not running, so there is nothing to watch. Start it first.')
  if (!stream.watch) {
    throw refused('This service publishes to external nsqd daemons. Use nsq_tail with them.')
  }
  if (!/^[.\w-]{1,64}$/.test(topic))
    throw invalid('topic', `"${topic}" is not a valid topic. Use 1 to 64 letters, digits, ".", "_" and "-".`)
  return stream.watch(topic)
}

function readerOf({ organizationGuid, login }: ReaderInput): StreamReader {
  if (organizationGuid !== undefined && login === undefined) return { kind: 'organization', subject: organizationGuid }
  if (login !== undefined && organizationGuid === undefined) return { kind: 'login', subject: login }
  throw invalid('organizationGuid', 'Name an organization (--organization GUID) or an account (--login LOGIN).')
}

function refused(message: string): Refusal {
  return new Refusal('UNPROCESSABLE_ENTITY', message)
}
