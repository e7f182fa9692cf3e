export const passkeysEn = {
  title: 'Passkeys',
  hint: 'Sign in with the fingerprint, face or PIN of your device. After your password, a passkey is the second step.',
  none: 'No passkeys yet.',
  unsupported: 'This browser has no passkeys.',
  add: 'Add a passkey',
  name: 'Name',
  nameHint: 'Where you keep it, such as “Laptop” or “Security key”.',
  create: 'Create passkey',
  rename: 'Rename',
  remove: 'Remove',
  removeTitle: (name: string) => `Remove “${name}”?`,
  removeHint: 'You can no longer sign in with it. Delete it on your device, too.',
  removeLast:
    'It is your last second factor: signing in then needs the password alone, and your recovery codes stop working.',
  code: 'Code or recovery code',
  codeOrPasskey: 'Leave it empty to confirm with a passkey.',
  recoveryHint:
    'Keep these recovery codes. Each works once after your password, if you lose your passkeys. They are not shown again.',
  problems: {
    notUsed: 'No passkey was used. Try again.',
    known: 'This device already has a passkey of your account.',
    address: 'Passkeys do not work at this address. Open the service at its usual address.',
  },
}
