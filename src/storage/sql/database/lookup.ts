import type { CompiledQuery, QueryResult } from 'kysely'

/** Runs one statement for a visitor of a link, who must not wait for anything else. */
export type Lookup = <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>
