/** The cases by name, each a file of `cases/`. */
export const cases = [
  'redirect',
  'cores',
  'services',
  'journal-copy',
  'sites',
  'shorten',
  'word',
  'drain',
  'scale',
  'lists',
  'metrics',
  'import',
  'bulk',
  'backup',
  'stream',
  'webhooks',
  'live',
  'qr',
  'dashboard',
]

/** Only when named, or with `all`: they take many minutes. */
export const long = ['memory', 'start']

/** Those that can compare two builds. */
export const comparable = ['redirect', 'shorten', 'drain', 'reports', 'import', 'bulk', 'backup', 'webhooks', 'live']
