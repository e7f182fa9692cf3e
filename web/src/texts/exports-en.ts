/** Exports that the service works on. */
export const exportsEn = {
  waiting: 'Waiting …',
  rows: (done: string, total: string) => `${done} of ${total} rows`,
  some: (done: string) => `${done} rows`,
  done: (count: number, shown: string): string => `${shown} ${count === 1 ? 'row' : 'rows'} exported.`,
  cancelled: 'The export was cancelled.',
  deleted: 'The export was deleted.',
}
