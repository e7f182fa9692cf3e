import { expect, it } from 'vitest'
import { Fifo, pack, unpack } from './deliveries.js'

it('saves and restores what is unfinished', () => {
  const unfinished = {
    outstanding: [
      { position: 1, attempts: 1, until: 0 },
      { position: 2 ** 47, attempts: 65_535, until: 1_800_000_000_000 },
    ],
    ahead: [5, 2 ** 40],
  }
  expect(unpack(pack(unfinished))).toEqual(unfinished)
  expect(unpack(pack({ outstanding: [], ahead: [] }))).toEqual({ outstanding: [], ahead: [] })
})

it('gives back first what came first, however long it is', () => {
  const fifo = new Fifo<number>()
  for (let item = 0; item < 5000; item++) fifo.push(item)
  for (let item = 0; item < 4000; item++) expect(fifo.shift()).toBe(item)
  expect(fifo.remove((item) => item % 2 === 0)).toBe(500)
  expect(fifo.length).toBe(500)
  expect([...fifo].slice(0, 3)).toEqual([4001, 4003, 4005])
  while (fifo.length > 0) fifo.shift()
  expect(fifo.shift()).toBeUndefined()
})
