/** Random numbers and texts that a seed repeats. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  of<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)]
    if (one === undefined) throw new Error('nothing to choose from')
    return one
  }

  maybe<T>(value: () => T): T | null {
    return this.next() < 0.5 ? null : value()
  }

  flag(): number {
    return this.below(2)
  }

  /** Milliseconds between 2024 and 2026. */
  time(): number {
    return Date.UTC(2024, 0) + this.below(2 * 365 * 86_400_000)
  }

  word(length = 7): string {
    return Array.from({ length }, () => this.of([...'0123456789ABCDEFabcdefXYZxyz'])).join('')
  }

  /** With what breaks careless formats: quotes, separators, line ends, formulas, other alphabets, long texts. */
  text(): string {
    const pieces = Array.from({ length: this.below(4) }, () => this.of(awkward))
    return [this.word(this.below(6)), ...pieces].join('')
  }

  url(): string {
    return `https://${this.word(5)}.example/${encodeURIComponent(this.text())}?a=${this.word(3)}&b=${this.of(['"', "'", ';', '%00'])}`
  }
}

const awkward = [
  ...[
    '"',
    "'",
    '`',
    ',',
    ';',
    '\t',
    '\n',
    '\r\n',
    '\\',
    '\\n',
    '%',
    '$1',
    '=1+1',
    '=cmd|x',
    '+1',
    '-1',
    '@a',
    '<b>',
    '{}',
    'null',
  ],
  ...[
    ' ',
    '\u00a0',
    '\u2028',
    '\u2029',
    '\ufeff',
    'ü',
    'ß',
    'Ä',
    '漢字',
    '🙂',
    '👩‍👩‍👧',
    'e\u0301',
    'عربى',
    '\u202e',
    '\u0001',
    '\u007f',
  ],
  'x'.repeat(300),
]
