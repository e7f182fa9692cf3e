import type { Click } from './click.js'
import type { ClickBatch } from './click-batch.js'
import { visitKinds } from './dimensions.js'

type BatchedClick = Click & { readonly total?: number }

/** The clicks as a batch; the tables are as long as they, unless `before` is a batch whose tables go on. */
export function aBatch(clicks: readonly BatchedClick[], before?: ClickBatch): ClickBatch {
  return {
    totals: Uint32Array.from(clicks, ({ total = 0 }) => total),
    skippedRanges: [],
    at: Float64Array.from(clicks, ({ at }) => at),
    visitorHash: BigUint64Array.from(clicks, ({ visitorHash }) => visitorHash),
    kinds: Uint8Array.from(clicks, ({ kind }) => visitKinds.indexOf(kind)),
    targets: columnOf(clicks, before?.targets.table, ({ address, linkId, groupGuid, destination }) => {
      return { address, linkId, groupGuid, destination }
    }),
    places: columnOf(clicks, before?.places.table, ({ place }) => place),
    agents: columnOf(clicks, before?.agents.table, ({ trafficClass, agent }) => ({ trafficClass, ...agent })),
    referrers: columnOf(clicks, before?.referrers.table, ({ referrer }) => referrer),
  }
}

function columnOf<T extends object>(clicks: readonly Click[], before: readonly T[] = [], entryOf: (click: Click) => T) {
  const table = before as T[]
  const used = Uint32Array.from(clicks, (click) => table.push(entryOf(click)) - 1)
  return { table, used }
}
