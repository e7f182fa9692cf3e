import type { StartedApp } from './start-app.js'

/** Ends the connections of live updates to the stream, as a restarted daemon does; they are opened again at once. */
export async function endLiveConnections({ app: { stream } }: StartedApp): Promise<void> {
  const { daemons } = await stream.stats()
  const channels = daemons.flatMap(({ topics }) =>
    topics.flatMap(({ topic_name: topic, channels }) =>
      channels.map(({ channel_name: channel }) => ({ topic, channel })),
    ),
  )
  const own = channels.filter(({ channel }) => channel.startsWith('live-'))
  if (own.length === 0) throw new Error('nobody reads live updates')
  // The daemon ends the connections of a channel that is deleted.
  for (const { topic, channel } of own) await stream.deleteChannel(topic, channel)
}
