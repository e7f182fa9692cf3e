import { parseArgs } from 'node:util'

/**
 * Parses the arguments of a script with parseArgs. `--help` prints the usage and exits; an unknown argument is
 * reported with exit status 2.
 */
export function readArguments(usage, { options = {}, allowPositionals = false } = {}) {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(`Usage: ${usage}`)
    process.exit(0)
  }
  try {
    return parseArgs({ options, allowPositionals })
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error
    // The first sentence; the rest explains how to pass text that looks like an option.
    refuse(usage, `${error.message.split(/\. |\n|\.$/, 1)[0]}.`)
  }
}

/** For checks beyond parseArgs, such as allowed values. */
export function refuse(usage, sentence) {
  console.error(`${sentence}\nUsage: ${usage}`)
  process.exit(2)
}
