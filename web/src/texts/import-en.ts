/** Files with links, and their jobs. */
export const importEn = {
  upload: 'Upload a file',
  action: 'What the file does',
  actions: {
    create: 'Create links',
    edit: 'Change links',
    delete: 'Delete links',
    rename_tag: 'Rename a tag',
    delete_tag: 'Delete a tag',
  },
  domain: 'Domain of rows that name none',
  strict: 'Refuse rows whose back-half is taken',
  strictHint: 'Otherwise they get a link with a random back-half. The result says which.',
  choose: 'Choose a file',
  unreadable: 'The browser could not read the file. Choose it again.',
  dropHint: 'or drop it here: CSV or XLSX, at most 100 MiB',
  hints: {
    create:
      'A list of URLs, or a table whose first row names the columns: the destination, and if you like back-half, title, tags, domain and more. You see the rows before they are sent; only large workbooks and files that the browser cannot read are sent at once.',
    edit: 'The first row names the columns: link, and what is to change: title, tags, long_url (the destination) and archived (true or false). Empty cells change nothing.',
  },
  example: 'Download an example',
  preview: {
    title: 'Preview',
    rows: (count: number): string => (count === 1 ? '1 row.' : `${count} rows.`),
    first: (count: string) => `The first ${count} rows were checked.`,
    problems: (count: number): string =>
      count === 0
        ? 'No problems found.'
        : count === 1
          ? '1 row has a problem, and will be refused.'
          : `${count} rows have a problem, and will be refused.`,
    column: (number: number) => `Column ${number}`,
    means: (column: string) => `Meaning of ${column}`,
    ignored: 'Not used',
    missing: (field: string) => `Choose the column for: ${field}.`,
  },
  fields: {
    link: 'Short link',
    long_url: 'Destination',
    keyword: 'Back-half',
    title: 'Title',
    note: 'Note',
    tags: 'Tags',
    domain: 'Domain',
    expiration_at: 'Expiry',
    private: 'Private',
    forward_query: 'Pass on parameters',
    force_new_link: 'Always a new link',
    group_guid: 'Group (its id)',
    archived: 'Archived',
    clear: 'Fields to empty',
    add_tags: 'Tags to add',
    remove_tags: 'Tags to remove',
  } as Readonly<Record<string, string>>,
  problems: {
    url: 'Not a valid URL',
    noUrl: 'No destination',
    noLink: 'No short link',
    twice: 'Back-half twice in this file',
    cells: 'More cells than columns',
  },
  copyAll: 'Copy all',
  copyFailed: 'The links could not be copied. Save them as a file instead.',
  copyAllOf: (name: string) => `Copy all links of ${name}`,
  codes: 'QR codes (ZIP)',
  codesOf: (name: string) => `Save the QR codes of ${name}`,
  /** Header of the CSV file. */
  columns: ['Destination', 'Short link', 'Problem'],
  files: 'Files',
  none: 'No files yet.',
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
  deleted: (deleted: string, refused: string) => `${deleted} deleted, ${refused} refused.`,
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
