import { counted } from '../lib/counted.js'

/** Of a backup or an export. Its links are rows: the API shows those of stand-alone QR codes with the codes alone. */
export function linksAndUsers({ links = 0, users = 0 }: { readonly links?: number; readonly users?: number }): string {
  return `${counted(links, 'link')} (with those of stand-alone QR codes), ${counted(users, 'user')}`
}
