import { optionHelp } from '../config/help.js'
import { optionNames } from '../config/options.js'
import { columns } from '../lib/columns.js'
import type { Command, Flag } from './command.js'

/** `shortlink --help` */
export function overview(commands: readonly Command[]): string {
  return [
    'shortlink: self-hosted short links with exact click analytics.',
    '',
    'Usage: shortlink COMMAND [WORDS] [FLAGS]',
    '',
    'Commands:',
    ...columns([...commands.map(({ name, summary }) => [name, summary]), ...alwaysThere], '  '),
    '',
    'Options of the service, accepted by every command (flag, environment variable, meaning):',
    ...optionHelp(optionNames),
    '',
    'Flags override the environment, the environment overrides the file, the file overrides defaults.',
  ].join('\n')
}

/** `shortlink help WORD`, where several commands begin with the word. */
export function subcommandHelp(word: string, commands: readonly Command[]): string {
  return [
    `Usage: shortlink ${word} COMMAND [WORDS] [FLAGS]`,
    '',
    ...columns(
      commands.map(({ name, summary }) => [name, summary]),
      '  ',
    ),
    '',
    `"shortlink help ${commands[0]?.name}" shows the flags of one.`,
  ].join('\n')
}

/** `shortlink help COMMAND` */
export function commandHelp(command: Command): string {
  const { words = [], flags = [], options } = command
  const usage = [...words.map((word) => word.name), ...flags.map(flagUsage), '[OPTIONS]']
  const own = [
    ...words.map((word) => [word.name, word.description]),
    ...flags.map((flag) => [spelled(flag), flag.description]),
    ['--help', 'Show this help.'],
  ]
  return [
    `${command.summary}.`,
    '',
    `Usage: shortlink ${command.name} ${usage.join(' ')}`,
    '',
    ...columns(own, '  '),
    '',
    'Options (flag, environment variable, meaning):',
    ...optionHelp(options === 'all' ? optionNames : options),
    ...(options === 'all' ? [] : ['', 'The other options of the service are accepted too: see shortlink --help.']),
  ].join('\n')
}

const alwaysThere = [
  ['help COMMAND', 'Show the flags of one command'],
  ['--version', 'Show the version'],
]

function flagUsage(flag: NonNullable<Command['flags']>[number]): string {
  return flag.required ? spelled(flag) : `[${spelled(flag)}]`
}

function spelled({ name, value, repeatable }: Pick<Flag, 'name' | 'value' | 'repeatable'>): string {
  return value === undefined ? `--${name}` : `--${name} ${value}${repeatable ? ' ...' : ''}`
}
