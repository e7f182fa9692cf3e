import type { Migration } from 'kysely'
import { foundation } from './0001-foundation.js'
import { management } from './0002-management.js'
import { usage } from './0003-usage.js'

/** Every migration there is, by hand and in order. Forward only; add at the end, never edit a released one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
  '0002-management': management,
  '0003-usage': usage,
}
