export const compareEn = {
  kind: 'What to compare',
  kinds: { links: 'Links', tags: 'Tags', campaigns: 'Campaigns', channels: 'Channels', periods: 'Periods' },
  titles: { links: 'Link', tags: 'Tag', campaigns: 'Campaign', channels: 'Channel', periods: 'Period' },
  add: {
    links: 'Add a link',
    tags: 'Add a tag',
    campaigns: 'Add a campaign',
    channels: 'Add a channel',
    periods: 'Add a period',
  },
  none: 'Nothing to compare yet',
  noneHint: (field: string, most: number) => `Use “${field}” to choose two or more, at most ${most}.`,
  begin: (count: number) => `Begin with the first ${count}`,
  noneThere: 'This group has none of them yet.',
  noEarlier: 'There is no period before all time. Choose a shorter time range.',
  gone: (id: string) => `${id} is no longer there.`,
  noLinks: (channel: string) => `${channel} has no links, so it is not in the chart.`,
  tooManyLinks: (channel: string, most: number) =>
    `${channel} has more than ${most} links, which are too many to compare.`,
  change: 'Change',
  share: 'Share',
  remove: (name: string) => `Take ${name} out`,
}
