import { inspect } from 'node:util'
import { loadSettings } from '../config/load.js'
import { fileOption, flagOf, optionNames, options } from '../config/options.js'
import { Refusal } from '../core/values/refusal.js'
import { environmentFault } from '../lib/environment-fault.js'
import { OperatorError } from '../lib/operator-error.js'
import { printable } from '../lib/printable.js'
import { didYouMean } from '../lib/suggestion.js'
import { version } from '../lib/version.js'
import { type Arguments, parseArguments } from './arguments.js'
import type { Command, CommandContext } from './command.js'
import { commandHelp, overview, subcommandHelp } from './help.js'

/**
 * Runs one command line and returns the exit code. Expected failures print one clear sentence; anything else is a bug
 * and prints its stack. It knows neither what the commands do nor the process.
 */
export async function run(argv: readonly string[], world: World): Promise<number> {
  try {
    return await dispatch(argv, world)
  } catch (error) {
    if (error instanceof OperatorError) {
      world.complain(printable(error.message))
      return error.exitCode
    }
    // A refusal is worded for the caller of an API; the cause of one is for the operator.
    const fault = environmentFault(error) ?? (error instanceof Refusal ? error.message : undefined)
    if (fault !== undefined) {
      world.complain(printable(fault))
      return 1
    }
    world.complain(inspect(error, { depth: 6 }))
    world.complain('This is a bug in shortlink: please report it with the lines above.')
    return 1
  }
}

export interface World {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Standard output is a terminal. */
  readonly terminal: boolean
  readonly stdin: NodeJS.ReadableStream
  print(line: string): void
  /**
   * Shows a status line on the terminal until the next one replaces it; an empty line removes it. Undefined without a
   * terminal.
   */
  draw?(line: string): void
  /** Gives this process less of the processor than others. */
  lowerPriority?(): void
  complain(line: string): void
}

// Loaded lazily: serve imports the whole service, but `token list` should answer at once.
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve.js')).serve],
  ['token create', async () => (await import('./token.js')).tokenCreate],
  ['token list', async () => (await import('./token.js')).tokenList],
  ['token label', async () => (await import('./token.js')).tokenLabel],
  ['token rotate', async () => (await import('./token.js')).tokenRotate],
  ['token revoke', async () => (await import('./token.js')).tokenRevoke],
  ['user create', async () => (await import('./user.js')).userCreate],
  ['user list', async () => (await import('./user.js')).userList],
  ['user password', async () => (await import('./user.js')).userPassword],
  ['user email', async () => (await import('./user.js')).userEmail],
  ['user two-factor-off', async () => (await import('./user.js')).userTwoFactorOff],
  ['user deactivate', async () => (await import('./user.js')).userDeactivate],
  ['user activate', async () => (await import('./user.js')).userActivate],
  ['user remove', async () => (await import('./user.js')).userRemove],
  ['invitation create', async () => (await import('./invitation.js')).invitationCreate],
  ['invitation list', async () => (await import('./invitation.js')).invitationList],
  ['invitation revoke', async () => (await import('./invitation.js')).invitationRevoke],
  ['audit', async () => (await import('./audit.js')).audit],
  ['organization create', async () => (await import('./group.js')).organizationCreate],
  ['organization list', async () => (await import('./group.js')).organizationList],
  ['organization rename', async () => (await import('./group.js')).organizationRename],
  ['organization plan', async () => (await import('./group.js')).organizationPlan],
  ['group create', async () => (await import('./group.js')).groupCreate],
  ['group list', async () => (await import('./group.js')).groupList],
  ['group rename', async () => (await import('./group.js')).groupRename],
  ['group remove', async () => (await import('./group.js')).groupRemove],
  ['group restore', async () => (await import('./group.js')).groupRestore],
  ['member list', async () => (await import('./member.js')).memberList],
  ['member set', async () => (await import('./member.js')).memberSet],
  ['member remove', async () => (await import('./member.js')).memberRemove],
  ['app register', async () => (await import('./application.js')).appRegister],
  ['app list', async () => (await import('./application.js')).appList],
  ['app secret', async () => (await import('./application.js')).appSecret],
  ['app revoke', async () => (await import('./application.js')).appRevoke],
  ['domain add', async () => (await import('./domain.js')).domainAdd],
  ['domain list', async () => (await import('./domain.js')).domainList],
  ['domain set', async () => (await import('./domain.js')).domainSet],
  ['domain verify', async () => (await import('./domain.js')).domainVerify],
  ['domain assign', async () => (await import('./domain.js')).domainAssign],
  ['domain unassign', async () => (await import('./domain.js')).domainUnassign],
  ['domain rename', async () => (await import('./domain.js')).domainRename],
  ['domain remove', async () => (await import('./domain.js')).domainRemove],
  ['mobile-app add', async () => (await import('./mobile-app.js')).mobileAppAdd],
  ['mobile-app list', async () => (await import('./mobile-app.js')).mobileAppList],
  ['mobile-app allow', async () => (await import('./mobile-app.js')).mobileAppAllow],
  ['mobile-app deny', async () => (await import('./mobile-app.js')).mobileAppDeny],
  ['mobile-app remove', async () => (await import('./mobile-app.js')).mobileAppRemove],
  ['export', async () => (await import('./export.js')).exportCommand],
  ['backup', async () => (await import('./backup.js')).backup],
  ['backup verify', async () => (await import('./backup.js')).backupVerify],
  ['backup list', async () => (await import('./backup.js')).backupList],
  ['restore', async () => (await import('./restore.js')).restoreCommand],
  ['import', async () => (await import('./import-archive.js')).importArchiveCommand],
  ['import links', async () => (await import('./import-links.js')).importLinksCommand],
  ['import clicks', async () => (await import('./import-clicks.js')).importClicksCommand],
  ['move', async () => (await import('./move.js')).moveCommand],
  ['forget', async () => (await import('./forget.js')).forgetCommand],
  ['upgrade undo', async () => (await import('./maintenance.js')).upgradeUndo],
  ['repair clicks', async () => (await import('./maintenance.js')).repairClicks],
  ['journal deliver', async () => (await import('./journal-deliver.js')).journalDeliver],
  ['journal forget', async () => (await import('./maintenance.js')).journalForget],
  ['click-log move', async () => (await import('./maintenance.js')).clickLogMove],
  ['stream allow', async () => (await import('./stream.js')).streamAllow],
  ['stream deny', async () => (await import('./stream.js')).streamDeny],
  ['stream list', async () => (await import('./stream.js')).streamList],
  ['stream tail', async () => (await import('./stream.js')).streamTail],
  ['webhook list', async () => (await import('./webhook.js')).webhookList],
  ['webhook log', async () => (await import('./webhook.js')).webhookLog],
  ['webhook word', async () => (await import('./webhook.js')).webhookWord],
  ['webhook redeliver', async () => (await import('./webhook.js')).webhookRedeliver],
  ['secrets new-key', async () => (await import('./maintenance.js')).secretsNewKey],
  ['migrate', async () => (await import('./maintenance.js')).migrate],
  ['doctor', async () => (await import('./doctor.js')).doctor],
  ['config', async () => (await import('./config.js')).config],
])

async function dispatch(argv: readonly string[], world: World): Promise<number> {
  const [first, ...others] = argv
  if (first === '--version') return say(world, version())
  if (first === '--help' || first === '-h') return say(world, await wholeHelp())
  const isHelp = first === 'help' || (others.length === 1 && /^(--help|-h)$/.test(others[0] ?? ''))
  if (isHelp) return say(world, await helpOf(first === 'help' ? others : [first ?? '']))
  if (first === undefined) {
    world.complain(await wholeHelp())
    return 2
  }

  const { command, rest } = await find(argv)
  const parsed = parseArguments(rest, [...(command.flags ?? []), ...optionFlags, { name: 'help' }])
  if (parsed.switches.has('help')) return say(world, commandHelp(command))
  await command.run(contextFor(command, parsed, world))
  return 0
}

function say(world: World, text: string): number {
  world.print(text)
  return 0
}

async function wholeHelp(): Promise<string> {
  return overview(await Promise.all([...commands.values()].map((load) => load())))
}

/** Of all commands, of those that begin with a word (`token`), or of one. */
async function helpOf(words: readonly string[]): Promise<string> {
  const [first] = words
  if (first === undefined) return wholeHelp()
  const names = subcommandsOf(first)
  if (words.length > 1 || commands.has(first) || names.length === 0) return commandHelp((await find(words)).command)
  const found = await Promise.all(names.map((name) => find(name.split(' '))))
  return subcommandHelp(
    first,
    found.map(({ command }) => command),
  )
}

/** The names of two words that begin with this one. */
function subcommandsOf(first: string): readonly string[] {
  return [...commands.keys()].filter((name) => name.startsWith(`${first} `))
}

/** Finds the command that matches the first two words, or the first one. */
async function find(argv: readonly string[]): Promise<{ command: Command; rest: readonly string[] }> {
  const [first = '', second = ''] = argv
  const load = commands.get(`${first} ${second}`) ?? commands.get(first)
  if (load) {
    const command = await load()
    return { command, rest: argv.slice(command.name.split(' ').length) }
  }
  const names = [...commands.keys()]
  const subcommands = subcommandsOf(first)
  const ending = ' "shortlink --help" lists all commands.'
  if (subcommands.length > 0 && (second === '' || second.startsWith('-'))) {
    throw new OperatorError(`"${first}" needs a second word: ${subcommands.join(', ')}.${ending}`, 2)
  }
  const given = names.some((name) => name.includes(' ') && closeEnough(first, name)) ? `${first} ${second}` : first
  throw new OperatorError(`Unknown command "${given.trim()}".${didYouMean(given.trim(), names)}${ending}`, 2)
}

function closeEnough(first: string, name: string): boolean {
  return didYouMean(first, [name.split(' ')[0] ?? '']) !== ''
}

const optionFlags = [
  ...optionNames.flatMap((name) => {
    const { kind, formerly } = options[name]
    const names = formerly === undefined ? [name] : [name, formerly]
    return names.map((each) => ({ name: flagOf(each), value: kind.placeholder }))
  }),
  { name: fileOption.name, value: fileOption.placeholder },
]

function contextFor(command: Command, parsed: Arguments, world: World): CommandContext {
  const { words, values, lists, switches, problems } = parsed
  const expected = command.words ?? []
  const own = new Set(command.flags?.map((flag) => flag.name))
  const settings = loadSettings({
    flags: Object.fromEntries(Object.entries(values).filter(([name]) => !own.has(name))),
    env: world.env,
    cwd: world.cwd,
    terminal: world.terminal,
    problems: [...problems, ...wordProblems(command, words), ...missingFlags(command, values)],
  })
  return {
    config: settings.config,
    settings,
    terminal: world.terminal,
    word: (name) => words[expected.findIndex((word) => word.name === name)] ?? '',
    flag: (name) => values[name],
    values: (name) => lists[name],
    switched: (name) => switches.has(name),
    print: (line) => world.print(printable(line)),
    note: (line) => world.complain(printable(line)),
    draw: (line) => world.draw?.(line),
    lowerPriority: () => world.lowerPriority?.(),
    stdin: world.stdin,
  }
}

function wordProblems({ name, words: expected = [] }: Command, words: readonly string[]): string[] {
  const missing = expected.slice(words.length).map((word) => `"${name}" needs ${word.name}: ${word.description}`)
  const extra = words.slice(expected.length).map((word) => `"${name}" does not expect the word "${word}".`)
  return [...missing, ...extra]
}

function missingFlags({ name, flags = [] }: Command, values: Arguments['values']): string[] {
  return flags
    .filter((flag) => flag.required && values[flag.name] === undefined)
    .map((flag) => `"${name}" needs --${flag.name} ${flag.value}: ${flag.description}`)
}
