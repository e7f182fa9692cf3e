/** Opens the plans of organizations and the limits of API requests. A part of the composition root. */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.js'
import { ApiRequests } from '../../core/limits/api-requests.js'
import { Connections } from '../../core/limits/connections.js'
import { Plans } from '../../core/limits/plans.js'
import { type Counters, MemoryCounters, PlatformLimits } from '../../core/limits/platform.js'
import type { Clock } from '../../core/values/time.js'
import type { Remote } from '../../lib/circuit-breaker.js'
import type { Closing } from '../../lib/closing.js'
import { loadPlans } from '../../storage/plans/plans-file.js'
import type { Records } from '../../storage/records/records.js'

interface LimitDeps extends Pick<Records, 'usage'> {
  readonly plans: Plans
  readonly clock: Clock
}

export interface OpenedLimits {
  readonly plans: Plans
  readonly platformLimits: PlatformLimits
  readonly apiRequests: ApiRequests
  readonly connections: Connections
  /** Redis, if it counts the requests. */
  readonly limitServer: Remote | undefined
}

export type PlanConfig = Pick<Config, 'plans' | 'defaultPlan'>

export function planOptions(config: PlanConfig) {
  return { plans: loadPlans(config), defaultPlan: config.defaultPlan }
}

export function openPlans(config: PlanConfig, log: Logger): Plans {
  const onFailure = (err: unknown) =>
    log.error({ err }, 'cannot refresh the plans of organizations; using the last known ones')
  return new Plans({ ...planOptions(config), onFailure })
}

/** The limits that every API request passes. Counted requests are written before the records close. */
export async function openLimits(
  config: Config,
  log: Logger,
  deps: LimitDeps,
  closing: Closing,
): Promise<OpenedLimits> {
  const { apiRequestsPerHour: perAccount, addressRequestsPerHour: perAddress, endpointLimits: endpoints } = config
  const counters = closing.add(await openCounters(config, log))
  const onFailure = (err: unknown) => log.error({ err }, 'cannot write the counts of API requests')
  return {
    plans: deps.plans,
    platformLimits: new PlatformLimits({ ...deps, counters }, { perAccount, perAddress, endpoints }),
    apiRequests: closing.add(new ApiRequests({ ...deps, onFailure })),
    connections: new Connections({
      max: config.apiConnections,
      networks: config.networkConnections,
      timeout: config.apiConnectionWait,
    }),
    limitServer: counters.server && { server: counters.server },
  }
}

async function openCounters({ redisUrl }: Config, log: Logger): Promise<Counters & Partial<Remote>> {
  if (redisUrl === undefined) return new MemoryCounters()
  const { RedisCounters } = await import('../../storage/redis/redis-counters.js')
  const counters = new RedisCounters(redisUrl, {
    onChange: (failure) =>
      failure === undefined
        ? log.warn('Redis is reachable again; rate limits apply again')
        : log.error({ failure }, 'cannot reach Redis; serving requests without rate limits'),
  })
  await counters.connected()
  return counters
}
