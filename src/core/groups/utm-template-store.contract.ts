import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { openBootstrapped } from '../accounts/stores.builder.js'
import type { NewUtmTemplate, UtmTemplateStore } from './utm-template-store.js'

type Stores = { readonly utmTemplates: UtmTemplateStore; readonly accounts: AccountStore } & Closable

/** What a `UtmTemplateStore` promises. `open` gives an empty store. */
export function utmTemplateStoreContract(open: () => Promise<Stores>): void {
  describe('UtmTemplateStore', () => {
    let stores: Stores
    let templates: UtmTemplateStore
    beforeEach(async () => {
      stores = await openBootstrapped(open, { organization: 'Omine', group: 'Bmine', login: 'ada', at: 1 })
      templates = stores.utmTemplates
    })
    afterEach(() => stores.close())
    const names = async () => (await templates.list('Bmine')).map(({ name }) => name)

    it('keeps a template with all its parameters', async () => {
      expect(await templates.add(aTemplate())).toBe('added')
      const { at, limit: _, ...fields } = aTemplate()
      expect(await templates.list('Bmine')).toEqual([{ ...fields, createdAt: at, modifiedAt: at }])
    })

    it('refuses a template of a group that does not exist', async () => {
      expect(await templates.add(aTemplate({ groupGuid: 'Bnone' }))).toBe('no-group')
    })

    it('lists them by name', async () => {
      await templates.add(aTemplate({ guid: 'U2', name: 'Posters' }))
      await templates.add(aTemplate({ guid: 'U1', name: 'Newsletter' }))
      expect(await names()).toEqual(['Newsletter', 'Posters'])
      expect(await templates.list('Bother')).toEqual([])
    })

    it('changes what is sent and the time of change, and nothing else', async () => {
      await templates.add(aTemplate())
      const changed = await templates.update('Bmine', 'Uone', { medium: '', name: 'Mail' }, 9)
      expect(changed).toMatchObject({ name: 'Mail', source: 'newsletter', medium: '', createdAt: 2, modifiedAt: 9 })
      expect(await templates.list('Bmine')).toEqual([changed])
    })

    it('lets nobody reach a template through another group', async () => {
      await templates.add(aTemplate())
      expect(await templates.update('Bother', 'Uone', { name: 'stolen' }, 9)).toBe('missing')
      expect(await templates.remove('Bother', 'Uone')).toBe(false)
      expect(await names()).toEqual(['Newsletter'])
      expect(await templates.remove('Bmine', 'Uone')).toBe(true)
      expect(await templates.remove('Bmine', 'Uone')).toBe(false)
    })

    it('has each name once, also when it is renamed', async () => {
      await templates.add(aTemplate())
      expect(await templates.add(aTemplate({ guid: 'Utwo' }))).toBe('taken')
      await templates.add(aTemplate({ guid: 'Utwo', name: 'Posters' }))
      expect(await templates.update('Bmine', 'Utwo', { name: 'Newsletter', source: 'x' }, 9)).toBe('taken')
      expect(await templates.update('Bmine', 'Utwo', { name: 'Posters', source: 'x' }, 9)).toMatchObject({
        source: 'x',
      })
    })

    it('gives a name to one of several who add it at once, and keeps the limit', async () => {
      const racers = ['U1', 'U2', 'U3', 'U4']
      const answers = await Promise.all(racers.map((guid) => templates.add(aTemplate({ guid }))))
      expect([...answers].sort()).toEqual(['added', 'taken', 'taken', 'taken'])
      const others = await Promise.all(
        racers.map((guid) => templates.add(aTemplate({ guid: `${guid}x`, name: guid, limit: 3 }))),
      )
      expect([...others].sort()).toEqual(['added', 'added', 'too-many', 'too-many'])
    })

    it('gives a name to one of several who rename to it at once', async () => {
      for (const guid of ['U1', 'U2', 'U3']) await templates.add(aTemplate({ guid, name: guid }))
      const renamed = await Promise.all(
        ['U1', 'U2', 'U3'].map((guid) => templates.update('Bmine', guid, { name: 'One' }, 9)),
      )
      expect(renamed.filter((outcome) => outcome === 'taken')).toHaveLength(2)
      expect((await names()).filter((name) => name === 'One')).toHaveLength(1)
    })
  })
}

function aTemplate(more: Partial<NewUtmTemplate> = {}): NewUtmTemplate {
  return {
    guid: 'Uone',
    groupGuid: 'Bmine',
    name: 'Newsletter',
    source: 'newsletter',
    medium: 'email',
    campaign: 'spring sale',
    term: '',
    content: 'größer & more',
    createdBy: 'ada',
    at: 2,
    limit: 100,
    ...more,
  }
}
