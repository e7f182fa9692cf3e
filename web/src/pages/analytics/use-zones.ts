/** In which zone the numbers of the page are shown. */
import { useGroup } from '../../shell/current-group.js'
import type { AnalyticsSearch } from './search.js'
import { ownZone } from './zone.js'

interface Zones {
  /** In which the numbers are shown. */
  readonly zone: string
  /** Of the group, where it is another than the person's. */
  readonly groupZone: string | undefined
}

/** The zone of the group, if it has one and the person did not choose their own. */
export function useZones({ zone }: Pick<AnalyticsSearch, 'zone'>): Zones {
  const given = useGroup()?.time_zone
  const groupZone = given === undefined || given === ownZone ? undefined : given
  return { zone: zone === 'own' ? ownZone : (groupZone ?? ownZone), groupZone }
}
