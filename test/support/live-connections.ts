import type { StartedApp } from './start-app.js'

/** As after an interruption of the connection over which other processes share their clicks. */
export function endLiveConnections({ app: { pipeline } }: StartedApp): void {
  pipeline.tellLive('addLiveGap')
}
