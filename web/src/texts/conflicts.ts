/** Two people changed the same. `who` is empty for the person who reads it. Both languages, because they are few. */
import { inLanguage } from './texts.js'

const en = {
  title: 'This was changed while you edited it',
  hint: 'Nothing is saved yet, and your text is still here. Choose what to keep, then save.',
  mine: 'Keep mine',
  theirs: 'Take theirs',
  allMine: 'Keep all mine',
  allTheirs: 'Take all theirs',
  by: (who: string, when: string) => `${who || 'you, elsewhere'}, ${when}`,
  changed: 'This was changed since it was shown to you. Delete it anyway?',
  none: 'none',
  on: 'yes',
  off: 'no',
}

const de: typeof en = {
  title: 'Das wurde geändert, während du es bearbeitet hast',
  hint: 'Noch ist nichts gespeichert, und dein Text ist noch da. Wähle, was bleiben soll, und speichere dann.',
  mine: 'Meins behalten',
  theirs: 'Das andere nehmen',
  allMine: 'Alles von mir behalten',
  allTheirs: 'Alles andere nehmen',
  by: (who, when) => `${who || 'du, anderswo'}, ${when}`,
  changed: 'Das wurde geändert, seit es dir angezeigt wurde. Trotzdem löschen?',
  none: 'leer',
  on: 'ja',
  off: 'nein',
}

export const conflictTexts = inLanguage({ en, de })
