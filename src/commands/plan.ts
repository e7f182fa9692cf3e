import { columns } from '../lib/columns.js'
import { administer, recordOptions } from './administration.js'
import type { Command } from './command.js'

export const organizationPlan: Command = {
  name: 'organization plan',
  summary: 'Show or set the plan of an organization, and show its usage',
  words: [{ name: 'GUID', description: 'The organization.' }],
  flags: [
    { name: 'set', value: 'PLAN', description: 'The new plan.' },
    { name: 'force', description: 'Allow a plan without API access, which locks the organization out at once.' },
    { name: 'json', description: 'Print JSON instead of text.' },
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
