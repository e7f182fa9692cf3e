import { columns, wrap } from '../lib/columns.js'
import type { OptionName } from './config.js'
import { fileOption, flagOf, optionNames, options, variableOf } from './options.js'

/** Formats options as aligned lines for `--help`: flag and environment variable, description, default. */
export function optionHelp(names: readonly OptionName[]): string[] {
  const rows = names.flatMap((name) => {
    const { kind, description } = options[name]
    const flag = `--${flagOf(name)} ${choices(name) ? 'WORD' : kind.placeholder}`
    const allowed = choices(name) ? ` One of ${kind.allowed}.` : ''
    return entry(flag, variableOf(name), `${description}${allowed}`, defaultText(name))
  })
  return columns([...rows, ...fileEntry()], '  ')
}

/** Generates docs/configuration.md. */
export function configurationPage(): string {
  return `# Configuration

<!-- Generated: bin/shortlink config --reference > docs/configuration.md -->

Every option can be set with a flag, an environment variable, or by its name in a JSON file. Flags override the
environment, the environment overrides the file, the file overrides the defaults. The file is named by
\`--${fileOption.name} ${fileOption.placeholder}\` or \`${variableOf(fileOption.name)}\`; the default is \`${fileOption.inWorkingDirectory}\` in the working directory, if it exists.
Relative paths in a file are relative to the file's folder. Lists are separated by commas, or are JSON lists in a file.
Unknown names are refused; empty environment variables count as not set.

\`bin/shortlink config --print\` shows the configuration of the running service and the source of each value. If no service
runs, or with \`--here\`, it shows the configuration for a start from this shell. \`config --check\` checks the values,
opens the files that they name, and connects to the databases and servers that they name.

| name in a file | flag | environment | default | meaning |
|---|---|---|---|---|
${optionNames.map(pageRow).join('\n')}

## Values

| name | allowed | example |
|---|---|---|
${optionNames.map((name) => `| \`${name}\` | ${cell(options[name].kind.allowed)} | \`${options[name].example}\` |`).join('\n')}

Secrets (${optionNames
    .filter((name) => options[name].secret)
    .map((name) => `\`${name}\``)
    .join(
      ', ',
    )}) are masked wherever the configuration is shown. Prefer the environment or a file for them: other users of a machine can see flags.
A variable with \`_FILE\` after its name, such as \`${variableOf('smtpUrl')}_FILE\`, names a file that contains the secret alone.
`
}

function entry(flag: string, variable: string, text: string, preset: string): string[][] {
  // No-break spaces keep the default on one line.
  const whole = `${text} ${`Default: ${preset}.`.replaceAll(' ', '\u00a0')}`
  const lines = wrap(whole, 72).map((line) => line.replaceAll('\u00a0', ' '))
  const names = [flag, variable]
  return Array.from({ length: Math.max(lines.length, names.length) }, (_, i) => [names[i] ?? '', lines[i] ?? ''])
}

function fileEntry(): string[][] {
  const { name, placeholder, description, inWorkingDirectory } = fileOption
  return entry(
    `--${name} ${placeholder}`,
    variableOf(name),
    description,
    `${inWorkingDirectory} in the working directory`,
  )
}

function choices(name: OptionName): boolean {
  return options[name].kind.placeholder.includes('|')
}

function defaultText(name: OptionName): string {
  return options[name].default ?? options[name].otherwise ?? 'none'
}

function pageRow(name: OptionName): string {
  const option = options[name]
  const fallback = option.default === undefined ? cell(defaultText(name)) : `\`${option.default}\``
  const formerly = option.formerly === undefined ? '' : ` Former name: \`${option.formerly}\` (still accepted).`
  return `| \`${name}\` | \`--${flagOf(name)}\` | \`${variableOf(name)}\` | ${fallback} | ${cell(option.description)}${formerly} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
