import type { ImportTexts } from './import.js'

export const importDe: ImportTexts = {
  title: 'Links aus einer Datei importieren',
  hint: 'Eine CSV- oder XLSX-Datei mit höchstens 100 MiB. Ihre erste Zeile nennt die Spalten: long_url und nach Wunsch keyword, title, tags, domain und expiration_at.',
  choose: 'Datei auswählen',
  progress: 'Erledigte Zeilen',
  states: {
    waiting: 'Wartet, bis sie an der Reihe ist.',
    running: 'In Arbeit.',
    done: 'Fertig.',
    failed: 'Die Datei konnte nicht importiert werden.',
    cancelled: 'Angehalten.',
  },
  counts: (created, existing, refused) => `${created} erstellt, ${existing} gab es schon, ${refused} abgelehnt.`,
  stop: 'Anhalten',
  download: 'Ergebnis herunterladen',
}
