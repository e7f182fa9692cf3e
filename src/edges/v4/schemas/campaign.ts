import { Type } from 'typebox'
import { moment } from './fields.js'

const references = Type.Object({ group: Type.String() }, { description: 'URLs of related data' })

export const Campaign = Type.Object(
  {
    references,
    guid: Type.String(),
    group_guid: Type.String(),
    created_by: Type.String({ description: 'Login of the user who created it' }),
    name: Type.String(),
    description: Type.String(),
    created: moment(),
    modified: moment(),
  },
  { $id: 'Campaign' },
)

export const Channel = Type.Object(
  {
    references,
    name: Type.String(),
    guid: Type.String(),
    created: moment(),
    modified: moment(),
    group_guid: Type.String(),
  },
  { $id: 'Channel' },
)

// Enough for one call, and small enough for one transaction.
export const maxEntries = 1000
