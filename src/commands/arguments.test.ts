import { describe, expect, it } from 'vitest'
import { parseArguments } from './arguments.js'

const known = [
  { name: 'port', value: 'NUMBER' },
  { name: 'label', value: 'TEXT' },
  { name: 'uri', value: 'URI', repeatable: true },
  { name: 'json' },
]

describe('parseArguments', () => {
  it.each([
    [['a', 'b'], { words: ['a', 'b'] }],
    [['--port', '1'], { values: { port: '1' } }],
    [['--port=1', 'a'], { values: { port: '1' }, words: ['a'] }],
    [['--label='], { values: { label: '' } }],
    [['--label=a=b'], { values: { label: 'a=b' } }],
    [['--label', '-x'], { values: { label: '-x' } }],
    [['a', '--json', 'b'], { words: ['a', 'b'], switches: new Set(['json']) }],
    [['--uri', 'a', '--json', '--uri=b'], { lists: { uri: ['a', 'b'] }, switches: new Set(['json']) }],
    [['-h'], { switches: new Set(['help']) }],
    [['--', '--port'], { words: ['--port'] }],
    [['--prot', '1', 'a'], { problems: ['Unknown flag --prot. Did you mean --port?'], words: ['a'] }],
    [['--prot=1', 'a'], { problems: ['Unknown flag --prot. Did you mean --port?'], words: ['a'] }],
    [['--prot', '-'], { problems: ['Unknown flag --prot. Did you mean --port?'], words: ['-'] }],
    [['--prot', '--json'], { problems: ['Unknown flag --prot. Did you mean --port?'], switches: new Set(['json']) }],
    [
      ['--prot', '--lable', 'x', '--port'],
      {
        problems: [
          'Unknown flag --prot. Did you mean --port?',
          'Unknown flag --lable. Did you mean --label?',
          '--port needs a value: --port NUMBER.',
        ],
      },
    ],
    [['--port', '--', 'a'], { problems: ['--port needs a value: --port NUMBER.'], words: ['a'] }],
    [
      ['--port', '--label', '--json'],
      {
        problems: ['--port needs a value: --port NUMBER.', '--label needs a value: --label TEXT.'],
        switches: new Set(['json']),
      },
    ],
    [['--constructor'], { problems: ['Unknown flag --constructor.'] }],
    [['-'], { words: ['-'] }],
    [['-p'], { problems: ['Unknown flag -p.'] }],
    [['--port'], { problems: ['--port needs a value: --port NUMBER.'] }],
    [['--port', '--json'], { problems: ['--port needs a value: --port NUMBER.'], switches: new Set(['json']) }],
    [['--json=yes'], { problems: ['--json takes no value.'], switches: new Set(['json']) }],
    [['--port', '1', '--port', '2'], { problems: ['--port is given twice. Give it once.'], values: { port: '1' } }],
  ])('%j', (argv, expected) => {
    expect(parseArguments(argv, known)).toEqual({
      words: [],
      values: {},
      lists: {},
      switches: new Set(),
      problems: [],
      ...expected,
    })
  })
})
