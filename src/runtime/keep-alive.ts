import type { Config } from '../config/config.js'

/**
 * Milliseconds that an idle connection stays open. A proxy must be the one to close it, or it answers 502 now and then:
 * nginx keeps connections for 60 seconds, Traefik for 90, Caddy for 120.
 */
const timeouts = { visitor: 5_000, proxy: 130_000 }

export function keepAliveTimeoutOf({ trustProxy }: Pick<Config, 'trustProxy'>): number {
  return trustProxy > 0 ? timeouts.proxy : timeouts.visitor
}
