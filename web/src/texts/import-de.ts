import type { ImportTexts } from './import.js'

export const importDe: ImportTexts = {
  title: 'Aus einer Datei importieren',
  upload: 'Datei hochladen',
  action: 'Was die Datei tut',
  actions: { create: 'Links erstellen', edit: 'Links ändern' },
  domain: 'Domain für Zeilen, die keine nennen',
  strict: 'Zeilen ablehnen, deren Kurzname vergeben ist',
  strictHint: 'Sonst bekommen sie einen Link mit zufälligem Kurznamen. Das Ergebnis sagt, welche.',
  choose: 'Datei auswählen',
  dropHint: 'oder hier ablegen: CSV oder XLSX, höchstens 100 MiB',
  hints: {
    create:
      'Die erste Zeile nennt die Spalten: long_url und nach Wunsch keyword (der Kurzname), title, tags, domain, expiration_at und private.',
    edit: 'Die erste Zeile nennt die Spalten: link und was sich ändern soll: title, tags, long_url (das Ziel) und archived (true oder false). Leere Zellen ändern nichts.',
  },
  example: 'Beispiel herunterladen',
  files: 'Dateien',
  none: 'Noch keine Dateien',
  noneHint:
    'Dateien, die du hochlädst, erscheinen hier mit Fortschritt und Ergebnis. Eine Woche nach ihrem Ende werden sie gelöscht.',
  progress: (name) => `Erledigte Zeilen von ${name}`,
  states: {
    waiting: 'Wartet, bis sie an der Reihe ist.',
    running: 'In Arbeit.',
    done: 'Fertig.',
    failed: 'Die Datei konnte nicht gelesen werden; nichts wurde geändert.',
    cancelled: 'Angehalten.',
  },
  rows: (done, total) => `${done} von ${total} Zeilen.`,
  created: (created, existing, refused) => `${created} erstellt, ${existing} gab es schon, ${refused} abgelehnt.`,
  changed: (changed, refused) => `${changed} geändert, ${refused} abgelehnt.`,
  stop: 'Anhalten',
  stopOf: (name) => `${name} anhalten`,
  download: 'Ergebnis',
  downloadOf: (name) => `Ergebnis von ${name} herunterladen`,
  resultName: 'ergebnis',
  deleteOf: (name) => `${name} löschen`,
  deleteTitle: (name) => `${name} löschen?`,
  deleteHint: 'Die Datei und ihr Ergebnis werden gelöscht. Die Links bleiben, wie sie sind.',
}
