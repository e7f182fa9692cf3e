/** The list of single clicks. */
export const eventsEn = {
  time: 'Time',
  type: 'Type',
  types: { click: 'Click', scan: 'Scan', button: 'Button' },
  traffic: 'Traffic',
  classes: { human: 'Person', bot: 'Bot', preview: 'Preview', prefetch: 'Prefetch', head: 'Check' },
  kinds: 'Which events',
  all: 'All',
  filterBy: (name: string, value: string) => `Filter: ${name} ${value}`,
  scroll: 'Events, newest first',
  older: 'Older events',
  shown: (count: number, text: string) => (count === 1 ? '1 event, newest first' : `${text} events, newest first`),
  more: (text: string) => `The newest ${text} events`,
  end: 'These are all in this time.',
  none: 'Nobody clicked in this time. Choose a longer one, or fewer filters.',
}
