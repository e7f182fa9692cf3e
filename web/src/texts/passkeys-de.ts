import type { PasskeyTexts } from './passkeys.js'

export const passkeysDe: PasskeyTexts = {
  title: 'Passkeys',
  hint: 'Melde dich mit Fingerabdruck, Gesicht oder PIN deines Geräts an. Nach dem Passwort ist ein Passkey der zweite Schritt.',
  none: 'Noch keine Passkeys.',
  unsupported: 'Dieser Browser kennt keine Passkeys.',
  add: 'Passkey hinzufügen',
  name: 'Name',
  nameHint: 'Wo er aufbewahrt ist, etwa „Laptop“ oder „Sicherheitsschlüssel“.',
  create: 'Passkey erstellen',
  rename: 'Umbenennen',
  remove: 'Entfernen',
  removeTitle: (name) => `„${name}“ entfernen?`,
  removeHint: 'Du kannst dich damit nicht mehr anmelden. Lösche ihn auch auf deinem Gerät.',
  removeLast:
    'Es ist dein letzter zweiter Faktor: Zum Anmelden reicht dann das Passwort, und deine Notfallcodes gelten nicht mehr.',
  code: 'Code oder Notfallcode',
  codeOrPasskey: 'Lass das Feld leer, um mit einem Passkey zu bestätigen.',
  recoveryHint:
    'Bewahre diese Notfallcodes auf. Jeder gilt einmal nach dem Passwort, falls du deine Passkeys verlierst. Sie werden nicht noch einmal gezeigt.',
  problems: {
    notUsed: 'Es wurde kein Passkey benutzt. Versuche es noch einmal.',
    known: 'Auf diesem Gerät gibt es schon einen Passkey deines Kontos.',
    address: 'Unter dieser Adresse gehen Passkeys nicht. Öffne den Dienst unter seiner üblichen Adresse.',
  },
}
