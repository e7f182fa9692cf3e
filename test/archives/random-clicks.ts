import type { Click } from '../../src/core/clicks/click.js'
import { aClick } from '../../src/core/clicks/click-log.contract.js'
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
        ...{ at: total > 0 ? at - (at % 900_000) : at, address, groupGuid: group, destination: random.url() },
        ...{ kind: random.of(['click', 'scan', 'button'] as const), linkId: '' },
        trafficClass: random.of(['human', 'bot', 'preview', 'prefetch', 'head'] as const),
        ...{
          country: random.of(['DE', 'US', '']),
          region: random.text(),
          subregion: '',
          city: random.of(['Ulm', 'Köln']),
        },
        ...{
          device: random.of(['Desktop', 'Mobile', 'Tablet', 'Other'] as const),
          os: random.word(2),
          browser: random.text(),
        },
        ...{
          referrer: random.text(),
          referrerDomain: random.word(4),
          referrerName: random.text(),
          referrerNetwork: 'other',
        },
        visitorHash: BigInt(random.below(2 ** 31)) * 2n ** 33n + BigInt(random.below(2 ** 31)),
      }),
      total,
    }
  })
}
