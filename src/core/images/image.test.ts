import { describe, expect, it } from 'vitest'
import { typeOf } from './image.js'

const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'

describe('the type of bytes', () => {
  it.each([
    [svg, 'image/svg+xml'],
    [`\ufeff\n<?xml version="1.0"?><!-- a > b --><!DOCTYPE svg [<!ENTITY a "b">]>\n${svg}`, 'image/svg+xml'],
    ['<s:svg xmlns:s="http://www.w3.org/2000/svg"></s:svg>', 'image/svg+xml'],
    ['<html><svg></svg></html>', undefined],
    ['<svgx/>', undefined],
    ['<!-- <svg> -->', undefined],
    ['', undefined],
    ['text <svg/>', undefined],
    ['\x89PNG', undefined],
    ['RIFF1234WAVE', undefined],
  ])('of %j', (text, type) => {
    expect(typeOf(Buffer.from(text))).toBe(type)
  })

  it.each([
    ['89504e470d0a1a0a00', 'image/png'],
    ['ffd8ffe0', 'image/jpeg'],
    ['524946460000000057454250', 'image/webp'],
    ['474946383961', undefined],
    ['1f8b08', undefined],
  ])('of the bytes %s', (hex, type) => {
    expect(typeOf(Buffer.from(hex, 'hex'))).toBe(type)
  })

  it('is found in no time, however long the beginning is', () => {
    for (const part of ['<!--', '<?', '<!DOCTYPE [', ' ', '<!-- -->', '<']) {
      expect(typeOf(Buffer.from(part.repeat(1_000_000)))).toBeUndefined()
    }
  })
})
