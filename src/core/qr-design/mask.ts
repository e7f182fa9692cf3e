/**
 * Chooses the mask of a QR code as ISO/IEC 18004, 7.8 says: of eight, the one with the least penalty for patterns that
 * confuse scanners. The `qrcode` package does it by a method call for each module and rule, which took a quarter of the time
 * of a picture, and more of a plain one. Here 32 modules are looked at together. mask.test.ts shows that both choose alike.
 */

/** A symbol with the first mask. */
export interface MaskedSymbol {
  readonly size: number
  /** One byte for each module, row by row. */
  readonly data: Uint8Array
  /** Modules that no mask changes. */
  readonly reservedBit: Uint8Array
}

export type Level = 'L' | 'M' | 'Q' | 'H'

/** The modules with the best mask, and with the description of the code, which names the mask. */
export function withBestMask(symbol: MaskedSymbol, level: Level): Uint8Array {
  const { size, data, reservedBit } = symbol
  const [rows, columns] = [linesOf(size, data), linesOf(size, data, true)]
  const [fixedRows, fixedColumns] = [linesOf(size, reservedBit), linesOf(size, reservedBit, true)]
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [mask, changed] of changesOf(size).entries()) {
    const candidate = {
      rows: rows.map((word, at) => word ^ ((changed.rows[at] ?? 0) & ~(fixedRows[at] ?? 0))),
      columns: columns.map((word, at) => word ^ ((changed.columns[at] ?? 0) & ~(fixedColumns[at] ?? 0))),
    }
    describe(size, level, mask, (row, column, bit) => {
      setBit(candidate.rows, size, row, column, bit)
      setBit(candidate.columns, size, column, row, bit)
    })
    const penalty = penaltyOf(size, candidate.rows, candidate.columns)
    if (penalty >= least) continue
    least = penalty
    best = mask
  }
  return masked(symbol, level, best)
}

const conditions: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** Whether a module has another colour with a mask than with the first one. */
function isChanged(mask: number, row: number, column: number): boolean {
  return conditions[mask]?.(row, column) !== conditions[0]?.(row, column)
}

function masked({ size, data, reservedBit }: MaskedSymbol, level: Level, mask: number): Uint8Array {
  const modules = data.map((module, at) =>
    reservedBit[at] === 0 && isChanged(mask, Math.floor(at / size), at % size) ? 1 - module : module,
  )
  describe(size, level, mask, (row, column, bit) => {
    modules[row * size + column] = bit
  })
  return modules
}

const levelBits: Readonly<Record<Level, number>> = { L: 1, M: 0, Q: 3, H: 2 }

/** Writes the level and the mask, twice (ISO/IEC 18004, 7.9): five bits, and ten that correct errors. */
function describe(
  size: number,
  level: Level,
  mask: number,
  put: (row: number, column: number, bit: number) => void,
): void {
  const value = (levelBits[level] << 3) | mask
  let rest = value << 10
  for (let bit = 14; bit >= 10; bit--) if (rest & (1 << bit)) rest ^= 0x537 << (bit - 10)
  const bits = ((value << 10) | rest) ^ 0x5412
  for (let index = 0; index < 15; index++) {
    const bit = (bits >> index) & 1
    // Down column 8 and along row 8; both leave out the timing pattern, which is at 6.
    put(index < 6 ? index : index < 8 ? index + 1 : size - 15 + index, 8, bit)
    put(8, index < 8 ? size - 1 - index : index < 9 ? 7 : 14 - index, bit)
  }
}

// Lines of modules as words of 32, the first module in the highest bit.

type Lines = Int32Array

function wordsOf(size: number): number {
  return Math.ceil(size / 32)
}

/** The rows of modules, or the columns. */
function linesOf(size: number, modules: Uint8Array, areColumns = false): Lines {
  const lines = new Int32Array(size * wordsOf(size))
  for (let row = 0, at = 0; row < size; row++) {
    for (let column = 0; column < size; column++, at++) {
      if (modules[at] === 1) setBit(lines, size, areColumns ? column : row, areColumns ? row : column, 1)
    }
  }
  return lines
}

function setBit(lines: Lines, size: number, line: number, along: number, bit: number): void {
  const at = line * wordsOf(size) + (along >> 5)
  const place = 1 << (31 - (along & 31))
  lines[at] = bit === 1 ? (lines[at] ?? 0) | place : (lines[at] ?? 0) & ~place
}

interface Changes {
  readonly rows: Lines
  readonly columns: Lines
}

/** What each mask changes, by the size of the symbol: there are forty sizes. */
const knownChanges = new Map<number, readonly Changes[]>()

function changesOf(size: number): readonly Changes[] {
  const known = knownChanges.get(size)
  if (known) return known
  const changes = conditions.map((_, mask) => {
    const modules = Uint8Array.from({ length: size * size }, (_, at) =>
      isChanged(mask, Math.floor(at / size), at % size) ? 1 : 0,
    )
    return { rows: linesOf(size, modules), columns: linesOf(size, modules, true) }
  })
  knownChanges.set(size, changes)
  return changes
}

/** For long runs, what looks like a corner, blocks of four, and an uneven share of dark modules. */
function penaltyOf(size: number, rows: Lines, columns: Lines): number {
  let dark = 0
  for (let at = 0; at < rows.length; at++) dark += bitsIn(rows[at] ?? 0)
  const unevenness = Math.abs(Math.ceil((dark * 100) / (size * size) / 5) - 10)
  return alongLines(size, rows) + alongLines(size, columns) + inBlocks(size, rows) + 10 * unevenness
}

/** 3 for a run of five modules, and 1 for each further one; 40 for 1:1:3:1:1 with four light modules beside it. */
function alongLines(size: number, lines: Lines): number {
  const words = wordsOf(size)
  let penalty = 0
  for (let line = 0; line < size; line++) {
    let before = 0
    for (let word = 0; word < words; word++) {
      const at = line * words + word
      const a = lines[at] ?? 0
      const next = word + 1 < words ? (lines[at + 1] ?? 0) : 0
      // The modules that follow, each at the place of the first.
      const b = (a << 1) | (next >>> 31)
      const c = (a << 2) | (next >>> 30)
      const d = (a << 3) | (next >>> 29)
      const e = (a << 4) | (next >>> 28)
      // Where five alike begin: a run of n has n - 4 of them.
      const five = ((a & b & c & d & e) | ~(a | b | c | d | e)) & beginnings(size, 5, word)
      if (five !== 0) penalty += bitsIn(five) + 2 * bitsIn(five & ~((five >>> 1) | (before << 31)))
      before = five
      const f = (a << 5) | (next >>> 27)
      const g = (a << 6) | (next >>> 26)
      const h = (a << 7) | (next >>> 25)
      const i = (a << 8) | (next >>> 24)
      const j = (a << 9) | (next >>> 23)
      const k = (a << 10) | (next >>> 22)
      const corners =
        (a & ~b & c & d & e & ~f & g & ~(h | i | j | k)) | (~(a | b | c | d) & e & ~f & g & h & i & ~j & k)
      if (corners !== 0) penalty += 40 * bitsIn(corners & beginnings(size, 11, word))
    }
  }
  return penalty
}

/** 3 for each block of two by two modules that are alike. */
function inBlocks(size: number, rows: Lines): number {
  const words = wordsOf(size)
  let blocks = 0
  for (let row = 0; row < size - 1; row++) {
    for (let word = 0; word < words; word++) {
      const at = row * words + word
      const [above, below] = [rows[at] ?? 0, rows[at + words] ?? 0]
      const isLast = word + 1 === words
      const aboveNext = (above << 1) | (isLast ? 0 : (rows[at + 1] ?? 0) >>> 31)
      const belowNext = (below << 1) | (isLast ? 0 : (rows[at + words + 1] ?? 0) >>> 31)
      const alike = (above & below & aboveNext & belowNext) | ~(above | below | aboveNext | belowNext)
      blocks += bitsIn(alike & beginnings(size, 2, word))
    }
  }
  return 3 * blocks
}

/** The places of a word where so many modules can begin without leaving the symbol. */
function beginnings(size: number, length: number, word: number): number {
  const count = size - length + 1 - 32 * word
  if (count <= 0) return 0
  return count >= 32 ? -1 : -1 << (32 - count)
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
