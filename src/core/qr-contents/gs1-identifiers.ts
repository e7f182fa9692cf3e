/** The application identifiers of GS1 (General Specifications, section 3) and the values that each may have. */

export interface Identifier {
  readonly shape: RegExp
  /** Completes "needs ..." for people. */
  readonly rule: string
  /** What else a value of this shape must be. */
  readonly checks: readonly ValueCheck[]
}

interface ValueCheck {
  readonly rule: string
  test(value: string): boolean
}

/** The primary keys of GS1 Digital Link with their qualifiers in order; where there are several lists, one of them. */
export const primaryKeys: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['00', []],
  ['01', [['22', '10', '21'], ['235']]],
  ['253', []],
  ['255', []],
  ['401', []],
  ['402', []],
  ['414', [['254'], ['7040']]],
  ['415', [['8020']]],
  ['417', [['7040']]],
  ['8003', []],
  ['8004', [['7040']]],
  ['8006', [['22', '10', '21']]],
  ['8010', [['8011']]],
  ['8013', []],
  ['8017', [['8019']]],
  ['8018', [['8019']]],
])

/** Only in the path, behind the keys they qualify, or in no Digital Link at all. */
export const notAttributes: ReadonlySet<string> = new Set(
  '03 21 22 235 254 7040 7041 8011 8014 8019 8020 8040 8041 8042 8043 8200'.split(' '),
)

// Character sets 82 and 39, and base64url.
const set82 = String.raw`[!"%&'()*+,\-./0-9:;<=>?A-Z_a-z]`
const set39 = '[#\\-/0-9A-Z]'
const letters = 'letters, digits and ! " % & \' ( ) * + , - . / : ; < = > ? _'

function identifier(pattern: string, rule: string, ...checks: readonly ValueCheck[]): Identifier {
  return { shape: new RegExp(`^(?:${pattern})$`), rule, checks }
}
function digits(length: number, ...checks: readonly ValueCheck[]): Identifier {
  return identifier(`\\d{${length}}`, `${length} digits`, ...checks)
}
function digitsUpTo(most: number): Identifier {
  return identifier(`\\d{1,${most}}`, `1 to ${most} digits`)
}
function text(most: number, ...checks: readonly ValueCheck[]): Identifier {
  return identifier(`${set82}{1,${most}}`, `1 to ${most} characters: ${letters}`, ...checks)
}

/** Of the first `length` digits from `from`; the sum of all with the weights 3 and 1 from the right is a multiple of ten. */
function checkDigit(length: number, from = 0): ValueCheck {
  return {
    rule: 'a correct check digit',
    test(value) {
      const key = [...value.slice(from, from + length)].reverse()
      return key.reduce((sum, digit, place) => sum + Number(digit) * (place % 2 === 0 ? 1 : 3), 0) % 10 === 0
    },
  }
}

/** Two letters at the end: the places in the set with prime weights from the right, modulo 1021, in base 32. */
const checkPair: ValueCheck = {
  rule: 'two correct check characters at its end',
  test(value) {
    const sum = [...value.slice(0, -2)]
      .reverse()
      .reduce((total, letter, place) => total + places.indexOf(letter) * (primes[place] ?? 0), 0)
    return value.length > 2 && value.slice(-2) === pairs.charAt((sum % 1021) >> 5) + pairs.charAt((sum % 1021) & 31)
  },
}
const places = `!"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`
const pairs = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83]

/** `YYMMDD` from `from`; day 00 means the end of the month, where that is allowed. */
function date(monthOnly: boolean, from = 0): ValueCheck {
  return {
    rule: 'a date as YYMMDD',
    test(value) {
      // A century has no effect on the days of a month, but 2000 is a leap year and so is every fourth after it.
      const [year, month, day] = [0, 2, 4].map((at) => Number(value.slice(from + at, from + at + 2)))
      const last = new Date(Date.UTC(2000 + (year ?? 0), month ?? 0, 0)).getUTCDate()
      return (
        month !== undefined && month >= 1 && month <= 12 && day !== undefined && day <= last && (monthOnly || day > 0)
      )
    },
  }
}

const companyPrefix: ValueCheck = {
  rule: 'a company prefix at its start',
  test: (value) => /^\d{4}/.test(value),
}
const pieceOfTotal: ValueCheck = {
  rule: 'the piece and the total number of pieces at its end',
  test: (value) => value.slice(-4, -2) !== '00' && value.slice(-4, -2) <= value.slice(-2),
}

/** GTIN-8, GTIN-12 and GTIN-13 too: zeros before them make them a GTIN-14, and change no check digit. */
const gtin = identifier('\\d{8}|\\d{12,14}', '8, 12, 13 or 14 digits', checkDigit(14))
export const gtinKeys: ReadonlySet<string> = new Set(['01', '02', '03'])

const table: readonly (readonly [keys: string, Identifier])[] = [
  ['00', digits(18, checkDigit(18))],
  ['01 02 03', gtin],
  ['11 12 13 15 16 17', digits(6, date(true))],
  ['20', digits(2)],
  ['242', digitsUpTo(6)],
  ['30 37', digitsUpTo(8)],
  ['10 21 22 243 254 420 4318 7020 7021 7022 710-717 7240 8002 8012', text(20)],
  ['235', text(28)],
  ['240 241 250 251 400 403 4308 4319 7002 90', text(30)],
  ['253', identifier(`\\d{13}${set82}{0,17}`, `13 digits and up to 17 ${letters}`, checkDigit(13))],
  ['255', identifier('\\d{13,25}', '13 to 25 digits', checkDigit(13))],
  // Measures, with the number of decimals at the end of the key.
  ...[310, 320, 330, 340, 350, 360].map((from): readonly [string, Identifier] => {
    const last = { 310: 316, 330: 337, 350: 357 }[from] ?? from + 9
    const keys = Array.from({ length: last - from + 1 }, (_, index) => `${from + index}0-${from + index}5`)
    return [keys.join(' '), digits(6)]
  }),
  ['3900-3909 3920-3929', digitsUpTo(15)],
  ['3910-3919 3930-3939', identifier('\\d{4,18}', 'a currency of 3 digits and 1 to 15 digits')],
  ['3940-3943 8111', digits(4)],
  ['3950-3955 8005', digits(6)],
  ['401 7023 8004', text(30, companyPrefix)],
  ['402', digits(17, checkDigit(17))],
  ['410-417', digits(13, checkDigit(13))],
  ['421', identifier(`\\d{3}${set82}{1,9}`, `a country of 3 digits and 1 to 9 ${letters}`)],
  ['422 424 426', digits(3)],
  ['423 425', identifier('(?:\\d{3}){1,5}', '1 to 5 countries of 3 digits')],
  ['427 7008', text(3)],
  ['4300 4301 4310 4311 4320', text(35)],
  ['4302-4306 4312-4316 7257 8110 8112 8200', text(70)],
  ['4307 4317', identifier('[A-Z]{2}', 'a country of 2 letters')],
  ['4309', digits(20)],
  ['4321-4323', identifier('[01]', '0 or 1')],
  ['4324 4325', digits(10, date(true))],
  ['4326 7006', digits(6, date(false))],
  ['4330-4333', identifier('\\d{6}-?', '6 digits, and - if it is below zero')],
  ['7001', digits(13)],
  ['7003', digits(10, date(false))],
  ['7004', digitsUpTo(4)],
  ['7005', text(12)],
  ['7007', identifier('(?:\\d{6}){1,2}', 'one or two dates', date(false))],
  ['7009 7255', text(10)],
  ['7010', text(2)],
  ['7011', identifier('\\d{6}(?:\\d{4})?', '6 or 10 digits', date(false))],
  ['7030-7039', identifier(`\\d{3}${set82}{1,27}`, `a country of 3 digits and 1 to 27 ${letters}`)],
  ['7040', identifier(`\\d${set82}{3}`, `a digit and 3 ${letters}`)],
  ['7041', text(4)],
  ['7230-7239', identifier(`${set82}{3,30}`, `3 to 30 characters: ${letters}`)],
  ['7241', digits(2)],
  ['7242 8020', text(25)],
  ['7250', digits(8, date(false, 2))],
  ['7251', digits(12, date(false, 2))],
  ['7252', identifier('[0129]', '0, 1, 2 or 9')],
  ['7253 7254 7259', text(40)],
  ['7256 91-99', text(90)],
  ['7258', identifier('[1-9]/[1-9]', 'a place and a total such as 1/2')],
  ['8001', digits(14)],
  ['8003', identifier(`0\\d{13}${set82}{0,16}`, `0, 13 digits and up to 16 ${letters}`, checkDigit(13, 1))],
  ['8006 8026', digits(18, checkDigit(14), pieceOfTotal)],
  ['8007', text(34)],
  ['8008', identifier('\\d{8}(?:\\d{2}){0,2}', '8, 10 or 12 digits', date(false))],
  ['8009', text(50)],
  ['8010', identifier(`${set39}{1,30}`, '1 to 30 characters: capital letters, digits and # - /', companyPrefix)],
  ['8011', identifier('[1-9]\\d{0,11}|0', '1 to 12 digits without a leading zero')],
  ['8013', text(25, companyPrefix, checkPair)],
  ['8014', text(25, companyPrefix, checkPair)],
  ['8017 8018', digits(18, checkDigit(18))],
  ['8019', digitsUpTo(10)],
  ['8030', identifier('[A-Za-z0-9_=-]{1,90}', '1 to 90 characters of base64url')],
  ['8040 8041', digits(15)],
  ['8042', digits(32)],
  ['8043', identifier('\\d{18,20}', '18 to 20 digits')],
]

export const identifiers: ReadonlyMap<string, Identifier> = new Map(
  table.flatMap(([keys, each]) => expanded(keys).map((key) => [key, each] as const)),
)

/** `10 710-712` -> `10`, `710`, `711`, `712` */
function expanded(keys: string): readonly string[] {
  return keys.split(' ').flatMap((range) => {
    const [from = '', to = from] = range.split('-')
    const count = Number(to) - Number(from) + 1
    return Array.from({ length: count }, (_, index) => String(Number(from) + index).padStart(from.length, '0'))
  })
}
