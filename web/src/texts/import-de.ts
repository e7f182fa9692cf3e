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
      'Eine Liste von URLs oder eine Tabelle, deren erste Zeile die Spalten nennt: das Ziel und nach Wunsch Kurzname, Titel, Tags, Domain und mehr. Nichts wird gesendet, bevor du es gesehen hast.',
    edit: 'Die erste Zeile nennt die Spalten: link und was sich ändern soll: title, tags, long_url (das Ziel) und archived (true oder false). Leere Zellen ändern nichts.',
  },
  example: 'Beispiel herunterladen',
  preview: {
    title: 'Vorschau',
    rows: (count) => (count === 1 ? '1 Zeile.' : `${count} Zeilen.`),
    first: (count) => `Die ersten ${count} Zeilen wurden geprüft.`,
    problems: (count) =>
      count === 0
        ? 'Keine Probleme gefunden.'
        : count === 1
          ? '1 Zeile hat ein Problem und wird abgelehnt.'
          : `${count} Zeilen haben ein Problem und werden abgelehnt.`,
    column: (number) => `Spalte ${number}`,
    means: (column) => `Bedeutung von ${column}`,
    ignored: 'Nicht verwendet',
    missing: (field) => `Wähle die Spalte für: ${field}.`,
  },
  fields: {
    link: 'Kurzlink',
    long_url: 'Ziel',
    keyword: 'Kurzname',
    title: 'Titel',
    note: 'Notiz',
    tags: 'Tags',
    domain: 'Domain',
    expiration_at: 'Ablauf',
    private: 'Privat',
    force_new_link: 'Immer ein neuer Link',
    group_guid: 'Gruppe (ihre Kennung)',
    archived: 'Archiviert',
    clear: 'Zu leerende Felder',
  },
  problems: {
    url: 'Keine gültige URL',
    noUrl: 'Kein Ziel',
    noLink: 'Kein Kurzlink',
    twice: 'Kurzname doppelt in dieser Datei',
    cells: 'Mehr Zellen als Spalten',
  },
  copyAll: 'Alle kopieren',
  copyAllOf: (name) => `Alle Links von ${name} kopieren`,
  codes: 'QR-Codes (ZIP)',
  codesOf: (name) => `QR-Codes von ${name} speichern`,
  columns: ['Ziel', 'Kurzlink', 'Problem'],
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
