import type { exportListEn } from './export-list-en.js'

export const exportListDe: typeof exportListEn = {
  title: 'Exporte',
  hint: 'Was du unter Links, Analysen und in den Einstellungen exportierst, ist auch hier. Eine Woche nach ihrem Ende werden die Dateien gelöscht.',
  none: 'Noch keine Exporte.',
  types: { links: 'Links', engagements: 'Klicks und Scans' },
  name: (type, moment) => `${type}, ${moment}`,
  states: {
    waiting: 'Wartet, bis er an der Reihe ist.',
    running: 'In Arbeit.',
    done: 'Fertig.',
    failed: 'Der Export ist fehlgeschlagen.',
    cancelled: 'Angehalten.',
  },
  download: 'Herunterladen',
  downloadOf: (name) => `${name} herunterladen`,
  deleteHint: 'Seine Datei wird gelöscht. Links und Klicks bleiben, wie sie sind.',
}
