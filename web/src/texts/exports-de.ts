import type { exportsEn } from './exports-en.js'

export const exportsDe: typeof exportsEn = {
  waiting: 'Wartet …',
  rows: (done, total) => `${done} von ${total} Zeilen`,
  some: (done) => `${done} Zeilen`,
  done: (count, shown) => `${shown} ${count === 1 ? 'Zeile' : 'Zeilen'} exportiert.`,
  cancelled: 'Der Export wurde abgebrochen.',
  deleted: 'Der Export wurde gelöscht.',
}
