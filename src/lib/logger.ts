import { WriteStream } from 'node:tty'
import { type LoggerOptions, type Logger as PinoLogger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import { FailureThrottles } from './failure-throttle.js'

/**
 * Logging: constant messages with fields, as one JSON object per line or as coloured lines for people. Each area logs
 * through `log.child({ room: 'records' })`. Secrets are redacted here and nowhere else.
 */
export type Logger = PinoLogger

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export type Warn = (fields: Readonly<Record<string, unknown>>, message: string) => void

export interface LogSettings {
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly logFormat: 'json' | 'pretty'
}

/** Writes to standard output by default. */
export function createLogger(
  { logLevel, logFormat }: LogSettings,
  destination: NodeJS.WritableStream = process.stdout,
): Logger {
  const stream =
    logFormat === 'pretty'
      ? {
          write: (line: string) =>
            destination.write(readable(line, destination instanceof WriteStream && destination.hasColors())),
        }
      : destination
  const redact = (fields: object) => redacted(fields, 0) as Record<string, unknown>
  return pino(
    {
      level: logLevel,
      base: null,
      // Not pino's redaction: it needs whole paths, and with wildcards three levels deep a line took 150 us instead of
      // 7.
      formatters: { log: redact, bindings: redact, level: (level) => ({ level }) },
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: (error: Error) => redacted(stdSerializers.err(error), 0) },
      hooks: { logMethod: outageThrottle() },
    },
    stream,
  )
}

/** A line of JSON for people: the time of the machine, the level and the message, then one field in each line. */
function readable(line: string, coloured: boolean): string {
  const {
    level,
    time,
    msg = '',
    ...fields
  } = JSON.parse(line) as Record<string, unknown> & { level: string; time: string }
  const paint = (colour: number, text: string) => (coloured ? `\x1b[${colour}m${text}\x1b[39m` : text)
  const at = new Date(time)
  const clock = `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, '0')}`
  const lines = Object.entries(fields).map(([name, value]) => `    ${paint(35, name)}: ${readableValue(value)}\n`)
  const title = paint(levelColours[level] ?? 39, level.toUpperCase())
  return `[${clock}] ${title}: ${paint(36, String(msg))}\n${lines.join('')}`
}

const levelColours: Readonly<Record<string, number>> = {
  fatal: 31,
  error: 31,
  warn: 33,
  info: 32,
  debug: 34,
  trace: 90,
}

/** Indented; the stack of an error, which holds line breaks, as it is. */
function readableValue(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(
    /"stack": "(.*)"/g,
    (_, stack: string) => `"stack":\n${JSON.parse(`"${stack}"`)}`,
  )
  return text.replaceAll('\n', '\n    ')
}

/** While a server is away or the disk is full, everything that needs it fails every second or with each request. */
function outageThrottle(): LogMethod {
  const throttles = new FailureThrottles()
  return function throttled(given, log) {
    const [fields, message] = given as [unknown, unknown]
    if (typeof message !== 'string' || !isOutage(fields)) return log.apply(this, given)
    const failures = throttles.failed(message)
    if (failures !== undefined) log.apply(this, [{ ...fields, failures }, message])
  }
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Lines that count failures themselves are left alone. */
function isOutage(fields: unknown): fields is { readonly err: Error } {
  if (typeof fields !== 'object' || fields === null || !('err' in fields) || 'failures' in fields) return false
  const { err } = fields
  return err instanceof Error && 'code' in err && outages.has(String(err.code))
}

// Not EPERM: an immutable data directory has it, and so have faults that have nothing to do with another.
const outages = new Set([
  ...['TEMPORARILY_UNAVAILABLE', 'STORAGE_DAMAGED', 'STORAGE_FULL'],
  ...['ENOSPC', 'EDQUOT', 'EROFS'],
])

/** Field and header names in lower case, without `_` and `-`. */
const secretNames = new Set([
  'accesstoken',
  'adminpassword',
  'admintoken',
  'apikey',
  'authorization',
  'backuppassphrase',
  'backupto',
  'clickhouseurl',
  'clientsecret',
  'cookie',
  'databaseurl',
  'forwarded',
  'ip',
  'nsqdauthsecret',
  'oidcclientsecret',
  'opstoken',
  'password',
  'passwordhash',
  'redisurl',
  'remoteaddress',
  's3url',
  'scimtoken',
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

/** Deep enough for a request inside an error; also stops at cycles. */
const depthLimit = 5

/** Returns the value without its secrets, copied only when it contains one. `err` is left to its serializer. */
function redacted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  // Values that are not checked are not logged.
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
