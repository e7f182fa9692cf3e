import type { eventsEn } from './events-en.js'

export const eventsDe: typeof eventsEn = {
  time: 'Zeit',
  type: 'Art',
  types: { click: 'Klick', scan: 'Scan', button: 'Knopf' },
  traffic: 'Zugriff',
  classes: { human: 'Mensch', bot: 'Bot', preview: 'Vorschau', prefetch: 'Vorabruf', head: 'Prüfung' },
  kinds: 'Welche Ereignisse',
  all: 'Alle',
  filterBy: (name, value) => `Filtern: ${name} ${value}`,
  scroll: 'Ereignisse, neueste zuerst',
  older: 'Ältere Ereignisse',
  shown: (count, text) => (count === 1 ? '1 Ereignis' : `${text} Ereignisse, neueste zuerst`),
  more: (text) => `Die neuesten ${text} Ereignisse`,
  end: 'Das sind alle in dieser Zeit.',
  none: 'In dieser Zeit hat niemand geklickt. Wähle eine längere oder weniger Filter.',
}
