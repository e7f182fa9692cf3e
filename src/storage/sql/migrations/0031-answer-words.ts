import type { Kysely, Migration } from 'kysely'
import type { Schema } from '../tables/schema.js'

/** The word for short links in which a token, or all tokens of an application, are answered. Never edited after release. */
export const answerWords: Migration = {
  async up(db: Kysely<Schema>): Promise<void> {
    await db.schema.alterTable('tokens').addColumn('answers_in', 'text').execute()
    await db.schema.alterTable('applications').addColumn('answers_in', 'text').execute()
  },
}
