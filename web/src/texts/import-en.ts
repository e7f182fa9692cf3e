export const importEn = {
  title: 'Import links from a file',
  hint: 'A CSV or XLSX file of at most 100 MiB. Its first row names the columns: long_url, and if you like keyword, title, tags, domain and expiration_at.',
  choose: 'Choose a file',
  progress: 'Rows that are done',
  states: {
    waiting: 'Waiting for its turn.',
    running: 'Working.',
    done: 'Done.',
    failed: 'The file could not be imported.',
    cancelled: 'Stopped.',
  },
  counts: (created: number, existing: number, refused: number): string =>
    `${created} created, ${existing} existed already, ${refused} refused.`,
  stop: 'Stop',
  download: 'Download the result',
}
