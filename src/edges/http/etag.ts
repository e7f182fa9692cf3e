/** ETags and the headers that name them (RFC 9110, 8.8.3 and 13.1). */
import { hash } from 'node:crypto'

/** A strong ETag of what is shown. */
export function etagOf(shown: unknown): string {
  return `"${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 22)}"`
}

/** Whether the client has the current version already. A weak ETag is as good as a strong one. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return isAny(ifNoneMatch) || etagsIn(ifNoneMatch).some((each) => each.replace(/^W\//, '') === etag)
}

/** Whether a change of this version is wanted. A weak ETag never matches: two versions may share it. */
export function isExpected(ifMatch: string, etag: string): boolean {
  return isAny(ifMatch) || etagsIn(ifMatch).includes(etag)
}

/** Any version, as long as there is one. */
export function isAny(header: string): boolean {
  return header.trim() === '*'
}

/** There may be commas in them. */
function etagsIn(header: string): readonly string[] {
  return header.match(/(?:W\/)?"[^"]*"/g) ?? []
}

/** Answers an object that was created or changed, with its new ETag. */
export function sendTagged<Object, Shown>(present: (object: Object) => Shown, etag: (object: Object) => string) {
  return (reply: { header(name: string, value: string): unknown }, object: Object): Shown => {
    reply.header('etag', etag(object))
    return present(object)
  }
}
