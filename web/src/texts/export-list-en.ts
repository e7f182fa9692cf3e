/** The exports of a group, among its files. */
export const exportListEn = {
  title: 'Exports',
  hint: 'What you export from Links, Analytics and the settings is here too. Files are deleted a week after their end.',
  none: 'No exports yet.',
  types: { links: 'Links', engagements: 'Clicks and scans' },
  name: (type: string, moment: string) => `${type}, ${moment}`,
  states: {
    waiting: 'Waiting for its turn.',
    running: 'Working.',
    done: 'Done.',
    failed: 'The export failed.',
    cancelled: 'Stopped.',
  },
  download: 'Download',
  downloadOf: (name: string) => `Download ${name}`,
  deleteHint: 'Its file is deleted. Links and clicks stay as they are.',
}
