import type { Click } from '../../src/core/clicks/click.js'
import { aClick, type FlatClick } from '../../src/core/clicks/click-log.contract.js'
import { allDimensions, trafficClasses, visitKinds } from '../../src/core/clicks/dimensions.js'
import type { Random } from './random.js'
import type { RandomRecords } from './random-records.js'

/** `total`: 0 for a single click. */
export type RandomClick = Click & { readonly total: number }

/** Single clicks and totals, several of them alike, over three months. */
export function randomClicks(random: Random, { targets }: RandomRecords): readonly RandomClick[] {
  const start = Date.UTC(2026, 0, 30)
  return Array.from({ length: 1_200 }, () => {
    const { address, group } = random.of(targets)
    const total = random.next() < 0.1 ? 1 + random.below(5) : 0
    const at = start + random.below(40) * 86_400_000 + random.below(5) * 60_000
    return {
      ...aClick({
        ...(Object.fromEntries(allDimensions.map(({ name }) => [name, random.text()])) as Partial<FlatClick>),
        at: total > 0 ? at - (at % 900_000) : at,
        address,
        groupGuid: group,
        destination: random.url(),
        linkId: '',
        kind: random.of(visitKinds),
        trafficClass: random.of(trafficClasses),
        country: random.of(['DE', 'US', '']),
        subregion: '',
        city: random.of(['Ulm', 'Köln']),
        device: random.of(['Desktop', 'Mobile', 'Tablet', 'Other'] as const),
        visitorHash: BigInt(random.below(2 ** 31)) * 2n ** 33n + BigInt(random.below(2 ** 31)),
      }),
      total,
    }
  })
}
