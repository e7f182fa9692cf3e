import { describe, expect, it } from 'vitest'
import type { BuiltInDomain, DomainStore } from './domain-store.js'
import { DomainNames } from './domains.js'
import { explainConflict, type Reconciled, reconcileBuiltIn, renameBuiltIn } from './reconcile-built-in.js'

/** Built-in domains in memory. `links`: keys with links, the newest first. */
function memory(links: string[] = [], branded: string[] = []) {
  let domains: readonly BuiltInDomain[] = []
  const store: Pick<DomainStore, 'changeBuiltIn'> = {
    async changeBuiltIn(decide) {
      const decision = await decide({
        domains,
        hasLinks: async (key) => links.includes(key),
        ownerOf: async (name) => (branded.includes(name) ? 'O1' : undefined),
        keysOfLinks: async () => links,
      })
      domains = decision.domains ?? domains
      return decision.answer
    },
  }
  return {
    links,
    start: (...names: [string, ...string[]]) => reconcileBuiltIn(store, names),
    rename: (from: string, to: string) => renameBuiltIn(store, { from, to }),
    /** `key=name (former names) @position` of each. */
    get domains() {
      return domains.map(({ key, name, formerNames, position }) => {
        return `${key}=${name} (${formerNames.join(' ')}) @${position ?? '-'}`
      })
    },
    get names() {
      return new DomainNames(domains)
    },
  }
}

const reconciled = { outcome: 'reconciled', renamed: [], notConfigured: [] }

describe('starting', () => {
  it('takes the first name as the key, and changes nothing when nothing changes', async () => {
    const service = memory()
    expect(await service.start('localhost:8080', 'sho.rt')).toEqual(reconciled)
    const first = service.domains
    expect(first).toEqual(['localhost:8080=localhost:8080 () @0', 'sho.rt=sho.rt () @1'])
    service.links.push('localhost:8080', 'sho.rt')
    expect(await service.start('localhost:8080', 'sho.rt')).toEqual(reconciled)
    expect(service.domains).toEqual(first)
  })

  it('gives the default domain its new name, back and forth', async () => {
    const service = memory(['localhost:8080'])
    await service.start('localhost:8080')
    expect(await service.start('localhost:9000')).toEqual({
      ...reconciled,
      renamed: [{ from: 'localhost:8080', to: 'localhost:9000' }],
    })
    expect(service.domains).toEqual(['localhost:8080=localhost:9000 (localhost:8080) @0'])
    await service.start('localhost:8080')
    expect(service.domains).toEqual(['localhost:8080=localhost:8080 (localhost:9000) @0'])
    await service.start('sho.rt')
    expect(service.domains).toEqual(['localhost:8080=sho.rt (localhost:8080 localhost:9000) @0'])
  })

  it('only makes another domain the default when both stay configured', async () => {
    const service = memory(['a.example', 'b.example'])
    await service.start('a.example', 'b.example')
    expect(await service.start('b.example', 'a.example')).toEqual(reconciled)
    expect(service.domains).toEqual(['b.example=b.example () @0', 'a.example=a.example () @1'])
    await service.start('c.example', 'b.example', 'a.example')
    expect(service.domains[0]).toBe('c.example=c.example () @0')
  })

  it('understands a former name that is configured again beside the new one as the same domain', async () => {
    const service = memory(['old.example'])
    await service.start('old.example')
    await service.start('new.example')
    expect(await service.start('new.example', 'old.example')).toEqual(reconciled)
    expect(service.domains).toEqual(['old.example=new.example (old.example) @0'])
    await service.start('old.example', 'new.example')
    expect(service.domains).toEqual(['old.example=old.example (new.example) @0'])
  })

  it('refuses to lose the links of another domain, and writes nothing then', async () => {
    const service = memory(['a.example', 'b.example'])
    await service.start('a.example', 'b.example')
    const before = service.domains
    for (const names of [['a.example'], ['b.example'], ['c.example'], ['b.example', 'c.example']] as const) {
      const lost = names.includes('b.example' as never) ? 'a.example' : 'b.example'
      expect(await service.start(...(names as readonly [string]))).toEqual({ outcome: 'orphans', names: [lost] })
    }
    expect(service.domains).toEqual(before)
    const refused = (await service.start('a.example')) as Exclude<Reconciled, { outcome: 'reconciled' }>
    expect(explainConflict(refused, ['a.example'])).toContain('--domains a.example,b.example')
    expect(explainConflict(refused, ['a.example'])).toContain('bin/shortlink domain rename b.example NEW')
  })

  it('forgets a domain without links', async () => {
    const service = memory(['a.example'])
    await service.start('a.example', 'typo.example')
    expect(await service.start('a.example')).toEqual(reconciled)
    expect(service.domains).toEqual(['a.example=a.example () @0'])
  })

  it('refuses to give the default the name of a branded domain', async () => {
    const service = memory(['a.example'], ['go.example.com'])
    await service.start('a.example')
    const refused = await service.start('go.example.com')
    expect(refused).toEqual({
      outcome: 'branded',
      organizationGuid: 'O1',
      from: 'a.example',
      to: 'go.example.com',
    })
    expect(await service.start('a.example', 'go.example.com')).toEqual(reconciled)
  })

  it('keeps the keys of all domains apart, also when a name was a key before', async () => {
    const service = memory(['a.example'])
    await service.start('a.example', 'b.example')
    await service.rename('a.example', 'c.example')
    await service.rename('b.example', 'a.example')
    await service.start('c.example')
    await service.start('c.example', 'a.example')
    expect(service.domains).toEqual(['a.example=c.example () @0', 'a.example~2=a.example () @1'])
    expect(service.names.shown('a.example~2/abc')).toBe('a.example/abc')
    expect(service.names.addressOf('a.example', 'abc')).toBe('a.example~2/abc')
  })
})

describe('the first start on records of an earlier version', () => {
  it('finds the domain under its name, also when that is changed at the same time', async () => {
    const same = memory(['localhost:8080'])
    expect(await same.start('localhost:8080')).toEqual(reconciled)
    const changed = memory(['localhost:8080'])
    expect(await changed.start('localhost:9000')).toMatchObject({ renamed: [{ to: 'localhost:9000' }] })
    expect(changed.domains).toEqual(['localhost:8080=localhost:9000 (localhost:8080) @0'])
  })

  it('understands names again whose links an earlier change had lost', async () => {
    const service = memory(['localhost:9000', 'localhost:8080'])
    expect(await service.start('localhost:9000')).toEqual({ ...reconciled, notConfigured: ['localhost:8080'] })
    expect(service.domains).toEqual(['localhost:9000=localhost:9000 () @0', 'localhost:8080=localhost:8080 () @-'])
    expect(service.names.addressOf('localhost:8080', 'abc')).toBe('localhost:8080/abc')

    // Whoever goes back to the other port is not locked out.
    expect(await service.start('localhost:8080')).toEqual({ ...reconciled, notConfigured: ['localhost:9000'] })
    expect(await service.start('localhost:7000')).toMatchObject({
      renamed: [{ from: 'localhost:8080', to: 'localhost:7000' }],
      notConfigured: ['localhost:9000'],
    })
    expect(await service.start('localhost:7000', 'localhost:9000')).toEqual(reconciled)
  })

  it('takes the domain of the newest link for the default when none of the names is configured', async () => {
    const service = memory(['newer.example', 'older.example'])
    await service.start('sho.rt')
    expect(service.domains).toEqual(['newer.example=sho.rt (newer.example) @0', 'older.example=older.example () @-'])
  })
})

describe('renaming', () => {
  it('lets a start with the new name go on', async () => {
    const service = memory(['a.example', 'b.example'])
    await service.start('a.example', 'b.example')
    expect(await service.rename('b.example', 'c.example')).toMatchObject({ outcome: 'renamed' })
    expect(await service.start('a.example', 'c.example')).toEqual(reconciled)
    expect(service.domains[1]).toBe('b.example=c.example (b.example) @1')
  })

  it('swaps two names in three steps without mixing links', async () => {
    const service = memory(['a.example', 'b.example'])
    await service.start('a.example', 'b.example')
    await service.rename('a.example', 'x.example')
    await service.rename('b.example', 'a.example')
    await service.rename('x.example', 'b.example')
    expect(service.names.addressOf('a.example', 'abc')).toBe('b.example/abc')
    expect(service.names.addressOf('b.example', 'abc')).toBe('a.example/abc')
    expect(await service.start('a.example', 'b.example')).toEqual(reconciled)
    expect(service.names.shown('b.example/abc')).toBe('a.example/abc')
  })

  it('refuses an unknown domain, a name that another has, and one that is branded', async () => {
    const service = memory(['a.example', 'b.example'], ['go.example.com'])
    await service.start('a.example', 'b.example')
    expect(await service.rename('c.example', 'd.example')).toEqual({
      outcome: 'unknown',
      names: ['a.example', 'b.example'],
    })
    expect(await service.rename('a.example', 'b.example')).toEqual({ outcome: 'taken' })
    expect(await service.rename('a.example', 'go.example.com')).toEqual({ outcome: 'branded' })
  })
})
