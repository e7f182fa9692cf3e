/**
 * Visitors, people who make and edit links, and readers of the stream and of webhooks, who write down what they asked for and
 * what they got.
 */
import { setTimeout as wait } from 'node:timers/promises'
import nsqjs from 'nsqjs'
import { runCommand } from '../support/run-command.js'
import { type Receiver, startReceiver } from '../webhooks/receiver.js'
import { type Answer, ask, type Question } from './ask.js'
import type { Creation, Edits, Observed, Visit } from './check.js'
import type { Cluster } from './cluster.js'

/** Links of an organization with this plan, which one client makes as fast as it can. */
export const limitedPlan = { displayName: 'Limited', limits: { encodes: 100 } }
const editedLinks = 3
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'

export class Traffic {
  readonly visits: Visit[] = []
  readonly creations: Creation[] = []
  readonly edits = new Map<string, Edits>()
  readonly limited = { limit: limitedPlan.limits.encodes, made: 0, refused: 0 }
  readonly #cluster: Cluster
  readonly #limitedGroup: string
  readonly #receiver: Receiver
  readonly #reader: InstanceType<typeof nsqjs.Reader>
  readonly #streamed = new Set<string>()
  /** Short links and where they lead. */
  readonly #made: { readonly id: string; readonly longUrl: string }[] = []
  #ended = false
  #workers: Promise<void>[] = []

  static async start(cluster: Cluster): Promise<Traffic> {
    const { ports } = cluster
    const [port = 0] = ports
    const { organizations } = await wanted(port, '/v4/organizations', {})
    const [{ guid: organization }] = organizations
    const receiver = await startReceiver()
    await wanted(port, `/v4/organizations/${organization}/stream_access`, { method: 'PUT' })
    const webhook = { organization_guid: organization, name: 'One', event: 'engagement', url: receiver.url }
    await wanted(port, '/v4/webhooks', { method: 'POST', body: webhook })
    const traffic = new Traffic(cluster, organization, await groupWithPlan(cluster), receiver)
    for (let number = 0; number < editedLinks; number++) await traffic.#makeEdited(port, number)
    // Processes look every five seconds which plan holds, who may read the stream, and for webhooks.
    await wait(6000)
    for (const each of ports) await traffic.#untilTold(each)
    return traffic
  }

  private constructor(cluster: Cluster, organization: string, limitedGroup: string, receiver: Receiver) {
    this.#cluster = cluster
    this.#limitedGroup = limitedGroup
    this.#receiver = receiver
    const places = { lookupdHTTPAddresses: [cluster.lookupd], lookupdPollInterval: 2, maxBackoffDuration: 1 }
    this.#reader = new nsqjs.Reader(`clicks.${organization}`, 'archive', { ...places, maxInFlight: 1000 })
    this.#reader.on('message', (message) => {
      this.#streamed.add(String((message.json() as { r?: unknown }).r))
      message.finish()
    })
    this.#reader.on('error', () => {})
    this.#reader.connect()
  }

  begin(): void {
    const { ports } = this.#cluster
    const front = () => this.#cluster.frontPort
    this.#workers = [
      ...[0, 1, 2, 3].map(() => this.#visitAgain(front, () => undefined)),
      ...ports.map((port, index) =>
        this.#visitAgain(
          () => port,
          () => `${index} ${this.#cluster.starts[index]}`,
        ),
      ),
      ...[0, 1].map(() => this.#makeAgain(front)),
      ...[...this.edits.keys()].map((link, number) => this.#editAgain(front, link, number)),
      this.#spendPlan(front),
    ]
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#workers)
  }

  /** Every made and edited link, asked at every process until it leads where it should, or for two minutes. */
  async finalLocations(isWanted: (link: string, location: string) => boolean): Promise<Observed['finals']> {
    const links = [...this.edits.keys(), ...this.#made.map(({ id }) => id)]
    const deadline = Date.now() + 120_000
    const finals = this.#cluster.ports.map(async (port, index) => {
      const reader = `service-${index + 1}`
      const found = []
      for (const link of links) {
        let location = await this.#locationAt(port, link)
        while (!isWanted(link, location) && Date.now() < deadline) {
          await wait(200)
          location = await this.#locationAt(port, link)
        }
        found.push({ link, reader, location })
      }
      return found
    })
    return (await Promise.all(finals)).flat()
  }

  get streamed(): ReadonlySet<string> {
    return this.#streamed
  }

  get delivered(): ReadonlySet<string> {
    return new Set(this.#receiver.events.map(({ referrer }) => String(referrer)))
  }

  async close(): Promise<void> {
    this.#reader.close()
    await this.#receiver.close()
  }

  async #locationAt(port: number, link: string): Promise<string> {
    const answer = await ask(port, pathOf(link), { method: 'HEAD', anonymous: true })
    return answer?.headers.location ?? String(answer?.status)
  }

  async #untilTold(port: number): Promise<void> {
    const [link = ''] = this.edits.keys()
    const referer = `https://first.example/${port}`
    while (!(this.streamed.has(referer) && this.delivered.has(referer))) {
      await ask(port, pathOf(link), { anonymous: true, headers: { referer, 'user-agent': browser } })
      await wait(500)
    }
  }

  async #makeEdited(port: number, number: number): Promise<void> {
    const body = { long_url: `https://edited.example/${number}/0` }
    const { id } = await wanted(port, '/v4/shortlinks', { method: 'POST', body })
    this.edits.set(id, { answered: 0, sent: 0 })
  }

  async #visitAgain(port: () => number, reader: () => string | undefined): Promise<void> {
    while (!this.#ended) {
      // Half of the visits are of edited links, most others of new ones.
      const recent = this.#made[Math.max(0, this.#made.length - 1 - Math.floor(Math.random() * 50))]?.id
      const edited = [...this.edits.keys()][Math.floor(Math.random() * editedLinks)] ?? ''
      const link = recent === undefined || Math.random() < 0.5 ? edited : recent
      const visit: Visit = { link, reader: reader(), sent: performance.now(), answered: undefined, location: '' }
      const referer = referrerOf(this.visits.push(visit) - 1)
      const answer = await ask(port(), pathOf(link), { anonymous: true, headers: { referer, 'user-agent': browser } })
      this.#expectStatus('a visit', answer, [301])
      if (answer?.status === 301) {
        visit.answered = performance.now()
        visit.location = answer.headers.location ?? ''
      }
      await wait(30)
    }
  }

  /** Repeats a request until it is answered, as the key allows. */
  async #makeAgain(port: () => number): Promise<void> {
    while (!this.#ended) {
      const longUrl = `https://made.example/${this.creations.length}`
      const creation: Creation = { longUrl, id: undefined }
      this.creations.push(creation)
      const question = { method: 'POST', headers: { 'idempotency-key': longUrl }, body: { long_url: longUrl } }
      while (creation.id === undefined && !this.#ended) {
        const answer = await ask(port(), '/v4/shortlinks', question)
        this.#expectStatus('POST /v4/shortlinks', answer, [200, 201, 409])
        if (answer && [200, 201].includes(answer.status)) {
          creation.id = answer.body.id as string
          this.#made.push({ id: creation.id, longUrl })
        }
        await wait(100)
      }
    }
  }

  /** Each change names the state that it is made on, so a late one cannot undo one that was answered. */
  async #editAgain(port: () => number, link: string, number: number): Promise<void> {
    const edits = this.edits.get(link)
    let etag: string | undefined
    while (edits && !this.#ended) {
      await wait(150)
      if (etag === undefined) {
        const found = await ask(port(), `/v4/shortlinks/${link}`)
        this.#expectStatus('GET of a link', found, [200])
        etag = found?.status === 200 ? found.headers.etag : undefined
        continue
      }
      const version = ++edits.sent
      const body = { long_url: `https://edited.example/${number}/${version}` }
      const question = { method: 'PATCH', headers: { 'if-match': etag }, body }
      const answer = await ask(port(), `/v4/shortlinks/${link}`, question)
      this.#expectStatus('PATCH of a link', answer, [200, 412])
      etag = answer?.status === 200 ? answer.headers.etag : undefined
      if (answer?.status === 200) edits.answered = version
    }
  }

  async #spendPlan(port: () => number): Promise<void> {
    for (let number = 0; !this.#ended; number++) {
      const body = { long_url: `https://limited.example/${number}`, group_guid: this.#limitedGroup }
      const answer = await ask(port(), '/v4/shortlinks', { method: 'POST', body })
      this.#expectStatus('POST /v4/shortlinks with a plan', answer, [200, 201, 429])
      if (answer?.status === 429) this.limited.refused += 1
      else if (answer && answer.status < 300) this.limited.made += 1
      await wait(200)
    }
  }

  /** Beside what is said of outages, by the service and by nginx. */
  #expectStatus(what: string, answer: Answer | undefined, statuses: readonly number[]): void {
    if (!answer || [...statuses, 502, 503, 504].includes(answer.status)) return
    this.#cluster.problems.push(`${what} was answered with ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

export function referrerOf(visit: number): string {
  return `https://visit.example/${visit}`
}

function pathOf(link: string): string {
  return `/${link.split('/')[1]}`
}

/** A group of another organization, which has the limited plan. */
async function groupWithPlan({ ports, databaseUrl }: Cluster): Promise<string> {
  const command = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await runCommand([...args, '--json', '--database-url', databaseUrl])
    if (code !== 0) throw new Error(err)
    return JSON.parse(out).guid
  }
  const organization = await command('organization', 'create', 'Limited', '--admin', 'admin')
  const group = await command('group', 'create', 'Limited', '--organization', organization)
  const plan = { method: 'PATCH', body: { plan: 'limited' } }
  await wanted(ports[0] ?? 0, `/v4/organizations/${organization}/plan`, plan)
  return group
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function wanted(port: number, path: string, question: Question): Promise<any> {
  const answer = await ask(port, path, question)
  if (!answer || answer.status >= 300) throw new Error(`${path} was answered with ${JSON.stringify(answer)}`)
  return answer.body
}
