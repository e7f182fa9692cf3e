import { afterEach, describe, expect, it, vi } from 'vitest'
import type { BrandedDomain, BuiltInDomain } from './domain-store.js'
import { Domains, domainFor } from './domains.js'

let branded: readonly BrandedDomain[] = []
let preferences = new Map<string, string>()
let builtIn: readonly BuiltInDomain[] = []
afterEach(() => {
  builtIn = []
  branded = []
  preferences = new Map()
})

let version = 0
const store = {
  list: async () => branded,
  listBuiltIn: async () => builtIn,
  preferences: async () => preferences,
  prove: async () => 'proven' as const,
  version: async () => version,
}
const options = { builtIn: ['sho.rt', 'localhost:8080'], baseUrl: 'https://api.example.org:8443' } as const

async function someDomains(list: () => Promise<readonly BrandedDomain[]> = store.list): Promise<Domains> {
  const domains = new Domains({ domainStore: { ...store, list }, onFailure: () => {} }, options)
  await domains.refresh()
  return domains
}

describe('the domain a host means', () => {
  it.each([
    ['sho.rt', 'sho.rt'],
    ['SHO.rt', 'sho.rt'],
    ['sho.rt:8080', undefined],
    ['localhost:8080', 'localhost:8080'],
    ['localhost', undefined],
    ['go.example.com', 'go.example.com'],
    ['Go.Example.com:8443', 'go.example.com'],
    ['go.example.com.', 'go.example.com'],
    ['go.example.com.:80', 'go.example.com'],
    ['sub.go.example.com', undefined],
    ['', undefined],
  ])('%j is %s', async (host, name) => {
    branded = [aDomain('go.example.com')]
    const domains = await someDomains()
    expect(domains.find(host)?.name).toBe(name)
    expect(domains.includes(host)).toBe(name !== undefined)
  })

  it('is the built-in one when an organization had brought the name before', async () => {
    branded = [aDomain('sho.rt')]
    expect((await someDomains()).find('sho.rt')?.branded).toBe(false)
  })
})

describe('a built-in domain that has another name by now', () => {
  async function renamed(): Promise<Domains> {
    builtIn = [
      { key: 'localhost:8080', name: 'sho.rt', formerNames: ['localhost:8080', 'old.example'], position: 0 },
      { key: 'two.example', name: 'two.example', formerNames: [], position: undefined },
    ]
    return someDomains()
  }

  it('is found by its name, and by former ones as such', async () => {
    const domains = await renamed()
    const hosts = ['sho.rt', 'localhost:8080', 'OLD.example']
    expect(hosts.map((host) => domains.find(host))).toMatchObject([
      { key: 'localhost:8080', name: 'sho.rt', byFormerName: false },
      { key: 'localhost:8080', name: 'sho.rt', byFormerName: true },
      { key: 'localhost:8080', name: 'sho.rt', byFormerName: true },
    ])
    expect(domainFor({ domains }, 'Ba', 'localhost:8080')).toMatchObject({ key: 'localhost:8080', name: 'sho.rt' })
  })

  it('has its former names served with certificates and kept from organizations', async () => {
    const domains = await renamed()
    for (const name of ['sho.rt', 'old.example', 'localhost', 'two.example']) {
      expect([domains.isServed(name), domains.isOwn(name)]).toEqual([true, true])
    }
  })

  it('is preferred by its key', async () => {
    preferences = new Map([['Ba', 'localhost:8080']])
    expect((await renamed()).preferredBy('Ba').name).toBe('sho.rt')
  })

  it('answers where it is not configured, and is not among those that are', async () => {
    const domains = await renamed()
    expect(domains.find('two.example')?.key).toBe('two.example')
    expect(domains.builtIn.map(({ name }) => name)).toEqual(['sho.rt'])
  })
})

describe('the domain of a new link', () => {
  it('is the first built-in one, or what the group prefers as long as it may use that', async () => {
    branded = [aDomain('go.example.com', 'Ba'), aDomain('to.example.com', 'Bb')]
    preferences = new Map([
      ['Ba', 'go.example.com'],
      ['Bc', 'to.example.com'],
      ['Bd', 'gone.example.com'],
      ['Be', 'localhost:8080'],
    ])
    const domains = await someDomains()
    const names = ['Ba', 'Bb', 'Bc', 'Bd', 'Be'].map((group) => domainFor({ domains }, group, undefined).name)
    expect(names).toEqual(['go.example.com', 'sho.rt', 'sho.rt', 'sho.rt', 'localhost:8080'])
  })

  it('is what is wished for when it is built in or assigned to the group', async () => {
    branded = [aDomain('go.example.com', 'Ba')]
    const domains = await someDomains()
    expect(domainFor({ domains }, 'Bb', 'LOCALHOST:8080').branded).toBe(false)
    expect(domainFor({ domains }, 'Ba', 'GO.example.com')).toMatchObject({ name: 'go.example.com', branded: true })
    // As in short URLs, which people paste.
    expect(domainFor({ domains }, 'Ba', 'go.example.com:8080').name).toBe('go.example.com')
    for (const [group, input] of [
      ['Bb', 'go.example.com'],
      ['Ba', 'other.example.com'],
      ['Ba', 'localhost:8081'],
      ['Ba', ''],
    ] as const) {
      expect(() => domainFor({ domains }, group, input)).toThrow('is not a short domain of this service')
    }
  })
})

it('knows which names need certificates and which are the service’s own', async () => {
  branded = [aDomain('go.example.com')]
  const domains = await someDomains()
  const served = ['sho.rt', 'localhost', 'go.example.com', 'api.example.org', 'other.example']
  expect(served.filter((name) => domains.isServed(name))).toEqual(['sho.rt', 'localhost', 'go.example.com'])
  expect(served.filter((name) => domains.isOwn(name))).toEqual(['sho.rt', 'localhost', 'api.example.org'])
})

it('lists the branded domains of groups by name', async () => {
  branded = [aDomain('b.example', 'Ba', 'Bb'), aDomain('a.example', 'Bb'), aDomain('c.example')]
  const domains = await someDomains()
  expect(domains.brandedOf(['Ba', 'Bb'])).toEqual(['a.example', 'b.example'])
  expect(domains.brandedOf([])).toEqual([])
})

describe('an alias of the default domain', () => {
  const aliased = async () => {
    const domains = new Domains({ domainStore: store, onFailure: () => {} }, { ...options, aliases: ['bit.ly'] })
    await domains.refresh()
    return domains
  }

  it('is understood where clients name a domain', async () => {
    builtIn = [{ key: 'old.example', name: 'sho.rt', formerNames: [], position: 0 }]
    const domains = await aliased()
    expect(domains.addressOf('Bit.ly', 'abc')).toBe('old.example/abc')
    expect(domains.keyOf('bit.ly')).toBe('old.example')
    expect(domainFor({ domains }, 'B1', 'bit.ly').name).toBe('sho.rt')
  })

  it('is neither served nor the domain of a long URL, and no organization can add it', async () => {
    const domains = await aliased()
    expect([domains.find('bit.ly'), domains.includes('bit.ly'), domains.isServed('bit.ly')]).toEqual([
      undefined,
      false,
      false,
    ])
    expect(domains.isOwn('bit.ly')).toBe(true)
  })

  it('loses against a branded domain that was there before', async () => {
    branded = [aDomain('bit.ly', 'B1')]
    const domains = await aliased()
    expect(domains.addressOf('bit.ly', 'abc')).toBe('bit.ly/abc')
    expect(domainFor({ domains }, 'B1', 'bit.ly').branded).toBe(true)
  })
})

it('counts a domain that is not proven for the groups of its organization alone', async () => {
  branded = [{ ...aDomain('mine.example', 'B1'), isProven: false }]
  const domains = await someDomains()
  const seen = [domains.find('mine.example'), domains.named('mine.example'), domains.brandedOf(['B1'])]
  expect(seen).toEqual([undefined, undefined, []])
  const counts = [domains.includes('mine.example'), domains.isServed('mine.example'), domains.isBranded('mine.example')]
  expect(counts).toEqual([false, false, false])
  expect(domainFor({ domains }, 'B1', 'Mine.example')).toMatchObject({ name: 'mine.example', isProven: false })
  expect(() => domainFor({ domains }, 'B2', 'mine.example')).toThrow('is not a short domain of this service')
})

it('keeps the newest table when an older question is answered last', async () => {
  const answers: ((table: readonly BrandedDomain[]) => void)[] = []
  const list = () => new Promise<readonly BrandedDomain[]>((resolve) => answers.push(resolve))
  const domains = new Domains({ domainStore: { ...store, list }, onFailure: () => {} }, options)
  const both = [domains.refresh(), domains.refresh()]
  await vi.waitFor(() => expect(answers).toHaveLength(2), 60_000)
  answers[1]?.([aDomain('new.example')])
  await both[1]
  answers[0]?.([aDomain('old.example')])
  await both[0]
  expect([domains.isBranded('new.example'), domains.isBranded('old.example')]).toEqual([true, false])
})

describe('while the service runs', () => {
  afterEach(() => vi.useRealTimers())

  it('is read again soon after a change elsewhere, and stays in use when that fails', async () => {
    vi.useFakeTimers()
    let broken = false
    let reads = 0
    const failures: unknown[] = []
    const list = async () => {
      if (broken) throw new Error('away')
      reads += 1
      return branded
    }
    const deps = {
      domainStore: { ...store, list },
      onFailure: (error: unknown) => failures.push(error),
    }
    const domains = new Domains(deps, options)
    await domains.start()
    expect(domains.isBranded('go.example.com')).toBe(false)
    branded = [aDomain('go.example.com')]
    await vi.advanceTimersByTimeAsync(15_000)
    expect(reads).toBe(1)
    version += 1
    await vi.advanceTimersByTimeAsync(5000)
    expect(domains.isBranded('go.example.com')).toBe(true)
    broken = true
    version += 1
    await vi.advanceTimersByTimeAsync(5000)
    expect(failures).toHaveLength(1)
    expect(domains.isBranded('go.example.com')).toBe(true)
    domains.close()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(failures).toHaveLength(1)
  })
})

function aDomain(name: string, ...groupGuids: string[]): BrandedDomain {
  const rest = {
    organizationGuid: 'O1',
    isProven: true,
    rootUrl: undefined,
    notFoundUrl: undefined,
    createdAt: 1,
    createdBy: 'ada',
  }
  return { name, groupGuids, ...rest }
}
