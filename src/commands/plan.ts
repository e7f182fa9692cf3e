import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command } from './command.js'

export const organizationPlan: Command = {
  name: 'organization plan',
  summary: 'Show the plan of an organization and what of it is used, or give it another',
  words: [{ name: 'GUID', description: 'The organization.' }],
  flags: [
    { name: 'set', value: 'PLAN', description: 'The plan to give it.' },
    { name: 'force', description: 'Also a plan that locks the organization out of the API at once.' },
    { name: 'json', description: 'Print JSON for a program instead of text for people.' },
  ],
  options: [...recordOptions, 'plans', 'defaultPlan'],
  async run({ config, word, flag, switched, print }) {
    const organizationGuid = word('GUID')
    const plan = flag('set')
    const now =
      plan === undefined
        ? await administer(config, 'readPlan', { organizationGuid })
        : await administer(config, 'setPlan', { organizationGuid, plan, force: switched('force') })
    if (switched('json')) return print(JSON.stringify(now))
    print(`Organization ${organizationGuid} ${plan === undefined ? 'has' : 'now has'} the plan "${now.plan}".`)
    const rows = now.limits.map(({ name, limit, count }) => [name, String(limit ?? 'no limit'), String(count)])
    print(columns([['THIS MONTH', 'LIMIT', 'USED'], ...rows]).join('\n'))
  },
}
