import { parseArgs } from 'node:util'

/**
 * The arguments of a script, as parseArgs reads them. `--help` prints how the script is called and ends it; an argument
 * that it does not know is named in a sentence and ends it with status 2.
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
    // Its first sentence; the rest tells how to pass text that looks like an option.
    refuse(usage, `${error.message.split(/\. |\n|\.$/, 1)[0]}.`)
  }
}

/** For what parseArgs cannot know: the values that are allowed. */
export function refuse(usage, sentence) {
  console.error(`${sentence}\nUsage: ${usage}`)
  process.exit(2)
}
