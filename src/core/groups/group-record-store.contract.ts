import { describe, expect, it } from 'vitest'
import type { Closable } from '../../lib/closing.js'
import type { AccountStore } from '../accounts/account-store.js'
import { mine, openBootstrapped, storesOfEachTest } from '../accounts/stores.builder.js'
import type {
  AnnotationStore,
  GroupRecordStore,
  NewGroupRecord,
  UtmTemplateFields,
  UtmTemplateStore,
  ViewFields,
  ViewStore,
} from './group-record-store.js'

interface Stores extends Closable {
  readonly utmTemplates: UtmTemplateStore
  readonly views: ViewStore
  readonly annotations: AnnotationStore
  readonly accounts: AccountStore
}

/** What the records of groups promise. `open` gives an empty store. */
export function groupRecordStoreContract(open: () => Promise<Stores>): void {
  const stores = storesOfEachTest(() => openBootstrapped(open, mine))

  const template = {
    ...{ name: 'Newsletter', source: 'newsletter', medium: 'email', campaign: 'spring sale' },
    ...{ term: '', content: 'größer & more' },
  }
  namedRecordContract('UtmTemplateStore', () => stores.utmTemplates, template, { medium: '' })
  const view: ViewFields = { name: 'Sale', page: 'links', query: 'tags=größer%26more' }
  namedRecordContract('ViewStore', () => stores.views, view, { query: '' })

  it('has each name of a view once on each page', async () => {
    expect(await stores.views.add(record('V1', view))).toBe('added')
    expect(await stores.views.add(record('V2', { ...view, page: 'analytics' }))).toBe('added')
    expect(await stores.views.add(record('V3', view))).toBe('taken')
  })

  describe('AnnotationStore', () => {
    const note = { happenedAt: 5, text: 'Newsletter sent' }
    const texts = async () => (await stores.annotations.list('Bmine')).map(({ text }) => text)

    it('lists the latest first, several at the same time, and keeps the limit also in a race', async () => {
      await stores.annotations.add(record('Z1', note))
      await stores.annotations.add(record('Z2', { happenedAt: 9, text: 'Sale began' }))
      expect(await texts()).toEqual(['Sale began', 'Newsletter sent'])
      const racers = ['Z3', 'Z4', 'Z5'].map((guid) => stores.annotations.add(record(guid, note, { limit: 4 })))
      expect((await Promise.all(racers)).sort()).toEqual(['added', 'added', 'too-many'])
    })

    it('changes time and text, in its own group alone', async () => {
      await stores.annotations.add(record('Z1', note))
      expect(await stores.annotations.update('Bother', 'Z1', { text: 'stolen' }, 9)).toBe('missing')
      const changed = await stores.annotations.update('Bmine', 'Z1', { happenedAt: 7 }, 9)
      expect(changed).toMatchObject({ happenedAt: 7, text: 'Newsletter sent', createdAt: 2, modifiedAt: 9 })
      expect(await stores.annotations.list('Bmine')).toEqual([changed])
      expect(await stores.annotations.remove('Bmine', 'Z1')).toBe(true)
      expect(await texts()).toEqual([])
    })
  })
}

/** `change`: one that leaves the name. */
function namedRecordContract<Fields extends UtmTemplateFields | ViewFields>(
  title: string,
  storeOf: () => GroupRecordStore<Fields>,
  fields: Fields,
  change: Partial<Fields>,
): void {
  describe(title, () => {
    const named = (guid: string, name: string, more: { limit?: number; groupGuid?: string } = {}) =>
      record(guid, { ...fields, name }, more)
    const rename = (guid: string, name: string) => storeOf().update('Bmine', guid, { name } as Partial<Fields>, 9)
    const names = async () => (await storeOf().list('Bmine')).map(({ name }) => name)

    it('keeps a record with all its fields', async () => {
      expect(await storeOf().add(record('Uone', fields))).toBe('added')
      const kept = { ...fields, guid: 'Uone', groupGuid: 'Bmine', createdBy: 'ada', createdAt: 2, modifiedAt: 2 }
      expect(await storeOf().list('Bmine')).toEqual([kept])
    })

    it('refuses a record of a group that does not exist', async () => {
      expect(await storeOf().add(named('Uone', 'x', { groupGuid: 'Bnone' }))).toBe('no-group')
    })

    it('lists them by name', async () => {
      await storeOf().add(named('U2', 'Posters'))
      await storeOf().add(named('U1', 'Newsletter'))
      expect(await names()).toEqual(['Newsletter', 'Posters'])
      expect(await storeOf().list('Bother')).toEqual([])
    })

    it('changes what is sent and the time of change, and nothing else', async () => {
      await storeOf().add(named('Uone', 'Newsletter'))
      const changed = await storeOf().update('Bmine', 'Uone', change, 9)
      expect(changed).toMatchObject({ ...fields, ...change, name: 'Newsletter', createdAt: 2, modifiedAt: 9 })
      expect(await storeOf().list('Bmine')).toEqual([changed])
    })

    it('lets nobody reach a record through another group', async () => {
      await storeOf().add(named('Uone', 'Newsletter'))
      expect(await storeOf().update('Bother', 'Uone', change, 9)).toBe('missing')
      expect(await storeOf().remove('Bother', 'Uone')).toBe(false)
      expect(await names()).toEqual(['Newsletter'])
      expect(await storeOf().remove('Bmine', 'Uone')).toBe(true)
      expect(await storeOf().remove('Bmine', 'Uone')).toBe(false)
    })

    it('has each name once, also when it is renamed', async () => {
      await storeOf().add(named('Uone', 'Newsletter'))
      expect(await storeOf().add(named('Utwo', 'Newsletter'))).toBe('taken')
      await storeOf().add(named('Utwo', 'Posters'))
      expect(await rename('Utwo', 'Newsletter')).toBe('taken')
      expect(await rename('Utwo', 'Posters')).toMatchObject({ name: 'Posters' })
    })

    it('gives a name to one of several who add it at once, and keeps the limit', async () => {
      const racers = ['U1', 'U2', 'U3', 'U4']
      const answers = await Promise.all(racers.map((guid) => storeOf().add(named(guid, 'One'))))
      expect([...answers].sort()).toEqual(['added', 'taken', 'taken', 'taken'])
      const others = await Promise.all(racers.map((guid) => storeOf().add(named(`${guid}x`, guid, { limit: 3 }))))
      expect([...others].sort()).toEqual(['added', 'added', 'too-many', 'too-many'])
    })

    it('gives a name to one of several who rename to it at once', async () => {
      for (const guid of ['U1', 'U2', 'U3']) await storeOf().add(named(guid, guid))
      const renamed = await Promise.all(['U1', 'U2', 'U3'].map((guid) => rename(guid, 'One')))
      expect(renamed.filter((outcome) => outcome === 'taken')).toHaveLength(2)
      expect((await names()).filter((name) => name === 'One')).toHaveLength(1)
    })
  })
}

function record<Fields>(
  guid: string,
  fields: Fields,
  { limit = 100, groupGuid = 'Bmine' }: { limit?: number; groupGuid?: string } = {},
): NewGroupRecord<Fields> {
  return { ...fields, guid, groupGuid, createdBy: 'ada', at: 2, limit }
}
