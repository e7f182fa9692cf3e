import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dayLength } from '../../core/clicks/visitor.js'
import { GivenSalts, SaltFile } from './daily-salts.js'

describe('daily salts', () => {
  let directory: string
  let file: string
  let today = 20_000
  const troubles: string[] = []
  const clock = { now: () => today * dayLength + 1 }
  const open = () => new SaltFile(file, clock, (message) => troubles.push(message))
  const daysInFile = () => Object.keys(JSON.parse(readFileSync(file, 'utf8'))).map(Number)

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'salts-'))
    file = join(directory, 'salts.json')
    today = 20_000
    troubles.length = 0
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('keeps the salt of a day after a restart, readable only for the service', () => {
    const salt = open().of(today)
    expect(open().of(today)).toBe(salt)
    expect(salt.length).toBeGreaterThanOrEqual(20)
    expect(statSync(file).mode & 0o077).toBe(0)
  })

  it("keeps yesterday's salt after midnight, for late clicks", () => {
    const salt = open().of(today)
    today++
    const salts = open()
    expect(salts.of(today)).not.toBe(salt)
    expect(salts.of(today - 1)).toBe(salt)
    expect(daysInFile()).toEqual([today - 1, today])
  })

  it('deletes a salt after its day and the next, also without clicks', () => {
    const salts = open()
    const salt = salts.of(today)
    today += 2
    salts.forgetOldDays()
    expect(daysInFile()).toEqual([])
    expect(salts.of(today - 2)).not.toBe(salt)
  })

  it('keeps the salt of a past day in memory only', () => {
    const salts = open()
    const salt = salts.of(today - 30)
    expect(salts.of(today - 30)).toBe(salt)
    expect(existsSync(file)).toBe(false)
  })

  it('creates new salts and reports it if the file is damaged', () => {
    writeFileSync(file, '{ broken')
    open().of(today)
    expect(troubles).toHaveLength(1)
    expect(daysInFile()).toEqual([today])
  })

  it('continues in memory and reports it if the file cannot be written', () => {
    rmSync(directory, { recursive: true, force: true })
    const salts = open()
    expect(salts.of(today)).toBe(salts.of(today))
    expect(troubles).toHaveLength(1)
  })
})

describe('salts that processes share', () => {
  it('are the given ones, and own ones for other days', () => {
    const salts = new GivenSalts(new Map([[7, 'seven']]))
    expect(salts.of(7)).toBe('seven')
    expect(salts.of(8)).toBe(salts.of(8))
    salts.use(new Map([[8, 'eight']]))
    expect(salts.of(8)).toBe('eight')
    expect(salts.of(7)).not.toBe('seven')
  })
})
