import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { freePort } from './free-port.js'
import { OwnServer } from './own-server.js'
import type {} from './s3-for-all.js'

/** Why there is no S3 server to test with; undefined where there is. */
export function whyNoS3(): string | undefined {
  const versitygw = inject('versitygw')
  return 'skip' in versitygw ? versitygw.skip : undefined
}

/** A real S3 server of a test's own, which checks signatures, with one bucket. */
export class S3Server extends OwnServer {
  readonly #port: number

  private constructor(port: number) {
    super('s3')
    this.#port = port
  }

  static async start(): Promise<S3Server> {
    const server = new S3Server(await freePort())
    for (const folder of ['objects/pictures', 'metadata']) mkdirSync(join(server.folder, folder), { recursive: true })
    await server.run()
    return server
  }

  /** With a secret as real ones are: characters in it mean something in a URL. */
  url({ secret = 'wJalr/XUtn+FEMI', bucket = 'pictures', region = 'eu-central-1' } = {}): string {
    return `http://tester:${encodeURIComponent(secret)}@127.0.0.1:${this.#port}/${bucket}/of%20ours?region=${region}`
  }

  /** Names of all objects. */
  get objects(): readonly string[] {
    const folder = join(this.folder, 'objects', 'pictures')
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
  }

  /** Changes an object behind the back of the server. */
  damage(name: string, change: (content: Buffer) => string | Buffer = () => 'damaged'): void {
    const folder = join(this.folder, 'objects', 'pictures')
    const [found] = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.name === name)
    if (!found) throw new Error(`there is no object ${name}`)
    const file = join(found.parentPath, name)
    writeFileSync(file, change(readFileSync(file)))
  }

  /** Starts it, again on the same port after `kill`. */
  async run(): Promise<void> {
    const versitygw = inject('versitygw')
    if ('skip' in versitygw) throw new Error(versitygw.skip)
    const account = ['--access', 'tester', '--secret', 'wJalr/XUtn+FEMI', '--region', 'eu-central-1']
    const place = ['posix', '--sidecar', join(this.folder, 'metadata'), join(this.folder, 'objects')]
    const args = [...account, '--port', `127.0.0.1:${this.#port}`, '--quiet', ...place]
    const server = spawn(versitygw.program, args, { stdio: 'ignore' })
    await this.answered(server, () => this.#answers())
  }

  async #answers(): Promise<boolean> {
    return fetch(`http://127.0.0.1:${this.#port}/`).then(
      () => true,
      () => false,
    )
  }
}
