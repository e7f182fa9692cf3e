import { describe, expect, it } from 'vitest'
import { requireReadable, requireReadableText } from './contrast.js'
import { templateCategories, templates } from './templates.js'

describe('templates', () => {
  it('are in every category, each with a guid of its own', () => {
    const used = new Set(templates.flatMap(({ categories }) => categories))
    expect([...used].sort()).toEqual([...templateCategories].sort())
    expect(new Set(templates.map(({ guid }) => guid)).size).toBe(templates.length)
    expect(templates.length).toBeGreaterThanOrEqual(10)
  })

  it.each(templates)('$guid can be read', (template) => {
    expect(() => requireReadable(template.appearance)).not.toThrow()
    for (const { appearance } of template.blocks) {
      if (appearance) expect(() => requireReadableText(appearance, template.appearance)).not.toThrow()
    }
  })

  it('have tops that differ, and blocks in their containers', () => {
    const tops = templates.map(({ appearance: { header, font } }) => {
      const { bannerType, titleAlignment, profileImageShape, textLocation, titleWeight } = header
      return [font, bannerType, titleAlignment, profileImageShape, textLocation, titleWeight].join()
    })
    expect(new Set(tops).size).toBe(templates.length)
    for (const { blocks } of templates) {
      const containers = blocks.filter(({ type }) => type === 'grid' || type === 'carousel').map(({ id }) => id)
      const used = blocks.flatMap(({ containerId }) => (containerId === undefined ? [] : [containerId]))
      expect([...new Set(used)]).toEqual(containers)
      expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length)
    }
  })
})
