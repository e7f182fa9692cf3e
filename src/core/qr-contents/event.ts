/** An appointment as an iCalendar object (RFC 5545). */
import { createHash } from 'node:crypto'
import { invalid } from '../values/refusal.js'
import { parseTimestamp } from '../values/time.js'
import { line, lines, textLine } from './content-lines.js'
import { readLine, readNote, readUrl } from './fields.js'

export interface CalendarEvent {
  readonly title: string
  /** A timestamp with its offset, or a date for a whole day. */
  readonly start: string
  /** As the start; of whole days the last one. */
  readonly end?: string | undefined
  readonly location?: string | undefined
  readonly description?: string | undefined
  readonly url?: string | undefined
}

export function eventText(event: CalendarEvent): string {
  const title = readLine(event.title, 'content.event.title')
  if (title === undefined) throw invalid('content.event.title', 'An event needs a title.')
  const { start, end } = readTimes(event)
  const details = [
    textLine('SUMMARY', title),
    timeLine('DTSTART', start),
    end ? timeLine('DTEND', end) : [],
    textLine('LOCATION', readLine(event.location, 'content.event.location')),
    textLine('DESCRIPTION', readNote(event.description, 'content.event.description')),
    // A URI is not escaped.
    line('URL', event.url === undefined ? undefined : readUrl(event.url, 'content.event.url')),
  ]
  return lines(
    ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//shortlink//EN', 'BEGIN:VEVENT'],
    // Both from the event alone: the same event is the same picture, and one entry however often it is scanned.
    line(
      'UID',
      createHash('sha256')
        .update(lines(...details))
        .digest('hex')
        .slice(0, 16),
    ),
    line('DTSTAMP', basic(start.at)),
    ...details,
    ['END:VEVENT', 'END:VCALENDAR'],
  )
}

interface EventTime {
  readonly at: number
  readonly wholeDay: boolean
}

function readTimes({ start: from, end: until }: CalendarEvent): { start: EventTime; end: EventTime | undefined } {
  const start = readTime(from, 'content.event.start')
  const end = until === undefined ? undefined : readTime(until, 'content.event.end')
  if (end && end.wholeDay !== start.wholeDay) {
    throw invalid('content.event.end', 'Send the end as the start: both as dates, or both as timestamps.')
  }
  if (end && (end.wholeDay ? end.at < start.at : end.at <= start.at)) {
    throw invalid('content.event.end', 'The event must end after it starts.')
  }
  // A calendar names the day after the last one.
  return { start, end: end?.wholeDay ? { ...end, at: end.at + 24 * 60 * 60_000 } : end }
}

function readTime(text: string, field: string): EventTime {
  const wholeDay = /^\d{4}-\d\d-\d\d$/.test(text)
  const at = parseTimestamp(wholeDay ? `${text}T00:00:00Z` : text)?.at
  // The day after the last one must have a year of four digits too.
  if (at !== undefined && at < Date.UTC(9999, 0)) return { at, wholeDay }
  throw invalid(field, 'Send a timestamp such as 2026-01-31T18:00:00+0100, or a date such as 2026-01-31.')
}

/** In UTC: names of time zones would need their rules inside the code. */
function timeLine(name: string, { at, wholeDay }: EventTime): readonly string[] {
  return wholeDay ? [`${name};VALUE=DATE:${basic(at).slice(0, 8)}`] : [`${name}:${basic(at)}`]
}

/** `20260131T170000Z` */
function basic(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
