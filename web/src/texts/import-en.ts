/** Files with links, and their jobs. */
export const importEn = {
  title: 'Import from a file',
  upload: 'Upload a file',
  action: 'What the file does',
  actions: { create: 'Create links', edit: 'Change links' },
  domain: 'Domain of rows that name none',
  strict: 'Refuse rows whose back-half is taken',
  strictHint: 'Otherwise they get a link with a random back-half. The result says which.',
  choose: 'Choose a file',
  dropHint: 'or drop it here: CSV or XLSX, at most 100 MiB',
  hints: {
    create:
      'The first row names the columns: long_url, and if you like keyword (the back-half), title, tags, domain, expiration_at and private.',
    edit: 'The first row names the columns: link, and what is to change: title, tags, long_url (the destination) and archived (true or false). Empty cells change nothing.',
  },
  example: 'Download an example',
  files: 'Files',
  none: 'No files yet',
  noneHint:
    'Files that you upload appear here with their progress and result. They are deleted a week after their end.',
  progress: (name: string) => `Rows of ${name} that are done`,
  states: {
    waiting: 'Waiting for its turn.',
    running: 'Working.',
    done: 'Done.',
    failed: 'The file could not be read, and nothing was changed.',
    cancelled: 'Stopped.',
  },
  rows: (done: string, total: string) => `${done} of ${total} rows.`,
  created: (created: string, existing: string, refused: string) =>
    `${created} created, ${existing} existed already, ${refused} refused.`,
  changed: (changed: string, refused: string) => `${changed} changed, ${refused} refused.`,
  stop: 'Stop',
  stopOf: (name: string) => `Stop ${name}`,
  download: 'Result',
  downloadOf: (name: string) => `Download the result of ${name}`,
  /** Begins the name of the file. */
  resultName: 'result',
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteHint: 'The file and its result are deleted. The links stay as they are.',
}
