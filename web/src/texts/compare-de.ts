import type { CompareTexts } from './compare.js'

export const compareDe: CompareTexts = {
  kind: 'Was verglichen wird',
  kinds: { links: 'Links', tags: 'Tags', campaigns: 'Kampagnen', channels: 'Kanäle', periods: 'Zeiträume' },
  titles: { links: 'Link', tags: 'Tag', campaigns: 'Kampagne', channels: 'Kanal', periods: 'Zeitraum' },
  add: {
    links: 'Link hinzufügen',
    tags: 'Tag hinzufügen',
    campaigns: 'Kampagne hinzufügen',
    channels: 'Kanal hinzufügen',
    periods: 'Zeitraum hinzufügen',
  },
  none: 'Noch nichts zu vergleichen',
  noneHint: (field, most) => `Wähle mit „${field}“ zwei oder mehr, höchstens ${most}.`,
  begin: (count) => `Mit den ersten ${count} beginnen`,
  noneThere: 'In dieser Gruppe gibt es noch keine.',
  noEarlier: 'Vor dem gesamten Zeitraum gibt es keinen früheren. Wähle einen kürzeren.',
  gone: (id) => `${id} gibt es nicht mehr.`,
  noLinks: (channel) => `${channel} hat keine Links und ist deshalb nicht im Diagramm.`,
  tooManyLinks: (channel, most) => `${channel} hat mehr als ${most} Links, zu viele für einen Vergleich.`,
  change: 'Änderung',
  share: 'Anteil',
  remove: (name) => `${name} herausnehmen`,
}
