import type { CompiledQuery, QueryResult } from 'kysely'

/** Runs one statement for a redirect, which must not wait behind other statements. */
export type Lookup = <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>
