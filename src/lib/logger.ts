import { type Logger as PinoLogger, pino, stdSerializers } from 'pino'
import pretty from 'pino-pretty'

/**
 * Logs: constant sentences with fields, one JSON object a line, or coloured lines for people. Each room logs through
 * `log.child({ room: 'records' })`. What must never be written is listed here and nowhere else.
 */
export type Logger = PinoLogger

export interface LogSettings {
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'pretty'
}

/** Writes to standard output unless told otherwise. */
export function createLogger(
  { logLevel, logFormat }: LogSettings,
  destination: NodeJS.WritableStream = process.stdout,
): Logger {
  // In the same thread: a log line of a crash must be out before the process is.
  const stream =
    logFormat === 'pretty'
      ? pretty({ destination, sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' })
      : destination
  const redact = (fields: object) => redacted(fields, 0) as Record<string, unknown>
  return pino(
    {
      level: logLevel,
      base: null,
      // pino's own redaction wants whole paths; with wildcards three levels deep a line cost 150 us instead of 7.
      formatters: { log: redact, bindings: redact },
      serializers: { err: (error: Error) => redacted(stdSerializers.err(error), 0) },
    },
    stream,
  )
}

/** Names of fields and headers in lower case, without `_` and `-`. */
const secretNames = new Set([
  'accesstoken',
  'adminpassword',
  'admintoken',
  'apikey',
  'authorization',
  'clickhouseurl',
  'clientsecret',
  'cookie',
  'databaseurl',
  'forwarded',
  'ip',
  'nsqdauthsecret',
  'opstoken',
  'password',
  'passwordhash',
  'redisurl',
  'remoteaddress',
  'secret',
  'secrethash',
  'secretskey',
  'setcookie',
  'smsgatewaysecret',
  'smtpurl',
  'token',
  'visitor',
  'xforwardedfor',
  'xrealip',
])

/** Deep enough for a request inside an error; also the end of the way round a cycle. */
const depthLimit = 5

/** The same value without its secrets; a copy only where there was one. `err` waits for its serializer. */
function redacted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  // What is not looked at is not written.
  if (depth > depthLimit) return '[deeper]'
  let copy: Record<string, unknown> | undefined
  for (const [name, field] of Object.entries(value)) {
    if (name === 'err' && field instanceof Error) continue
    const clean = isSecret(name) && field !== undefined ? '[redacted]' : redacted(field, depth + 1)
    if (clean === field) continue
    copy ??= { ...value }
    copy[name] = clean
  }
  if (copy === undefined) return value
  return Array.isArray(value) ? Object.values(copy) : copy
}

function isSecret(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[_-]/g, ''))
}
