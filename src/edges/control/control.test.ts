import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { administrationDeps } from '../../../test/support/administration-parts.js'
import { temporaryRecords } from '../../../test/support/temporary-records.js'
import { firstStart } from '../../core/administration/first-start.js'
import { Closing } from '../../lib/closing.js'
import type { Records } from '../../storage/records/records.js'
import { askProcess, askService, controlSocketPath } from './client.js'
import { requireAlone, startControl } from './server.js'

const log = pino({ level: 'silent' })
let folder: string
let socketPath: string
let records: Records
let closing: Closing
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'shortlink-control-'))
  socketPath = controlSocketPath(folder)
  closing = new Closing()
  records = closing.add(await temporaryRecords())
  await firstStart(deps(), { login: undefined, password: 'correct horse', token: undefined })
})
afterEach(async () => {
  await closing.close()
  rmSync(folder, { recursive: true })
})

function deps() {
  return administrationDeps(records)
}

describe('the control socket', () => {
  it('carries operations to the running service, which hears of revoked tokens', async () => {
    const revoked: string[] = []
    const withEar = { ...deps(), onTokenRevoked: (guid: string) => revoked.push(guid) }
    closing.add(await startControl(socketPath, withEar, log))

    const created = await askService(socketPath, 'createToken', { login: 'admin', label: 'über' })
    expect(created?.result).toMatchObject({ login: 'admin', label: 'über' })
    const guid = created?.result.guid ?? ''
    expect((await askService(socketPath, 'listTokens', {}))?.result.map((token) => token.guid)).toContain(guid)
    await askService(socketPath, 'revokeToken', { guid })
    expect(revoked).toEqual([guid])
  })

  it('brings a refusal back as a refusal', async () => {
    closing.add(await startControl(socketPath, deps(), log))
    await expect(askService(socketPath, 'createToken', { login: 'nobody', label: 'test' })).rejects.toMatchObject({
      name: 'Refusal',
      code: 'NOT_FOUND',
      details: { resource: 'users' },
    })
  })

  it('is for its owner only', async () => {
    closing.add(await startControl(socketPath, deps(), log))
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['not JSON', 'createToken', '{', 422],
    ['an operation that does not exist', 'nonsense', '{}', 422],
    ['a body too large', 'createToken', JSON.stringify({ login: 'a'.repeat(2_000_000) }), 422],
  ])('refuses %s and goes on', async (_, operation, body, status) => {
    closing.add(await startControl(socketPath, deps(), log))
    expect(await statusOf(operation, body)).toBe(status)
    expect(await askProcess(socketPath)).toEqual({ pid: process.pid })
  })

  it('keeps what went wrong inside to the log', async () => {
    const broken = { ...records.accounts, listTokens: () => Promise.reject(new Error('disk on fire')) }
    closing.add(await startControl(socketPath, { ...deps(), accounts: broken }, log))
    await expect(askService(socketPath, 'listTokens', {})).rejects.toThrow('failed to run the command. Check its log.')
  })

  it('says that nothing runs when there is no socket, and when it was closed', async () => {
    expect(await askService(socketPath, 'listTokens', {})).toBeUndefined()
    const control = await startControl(socketPath, deps(), log)
    await control.close()
    expect(await askService(socketPath, 'listTokens', {})).toBeUndefined()
  })
})

describe('closing', () => {
  it.each([
    ['says nothing', ''],
    ['sends half a command', 'POST /listTokens HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{'],
  ])('does not wait for somebody who %s', async (_, sent) => {
    const control = await startControl(socketPath, deps(), log)
    const visitor = connect(socketPath)
    await once(visitor, 'connect')
    visitor.write(sent)
    const gone = once(visitor, 'close')
    await control.close()
    await gone
    expect(await askProcess(socketPath)).toBeUndefined()
  })
})

describe('a second service on one data directory', () => {
  it('is refused while the first one runs', async () => {
    closing.add(await startControl(socketPath, deps(), log))
    const message = `Another shortlink service (process ${process.pid}) is already running on ${folder}. Stop it or choose another --data-dir.`
    await expect(startControl(socketPath, deps(), log)).rejects.toThrow(message)
    await expect(requireAlone(socketPath)).rejects.toThrow(message)
  })

  it('is told when the data directory is a file', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await expect(requireAlone(join(file, 'control.sock'))).rejects.toThrow(`${file} is not a directory.`)
  })

  it('is refused when the first one is alive but does not answer', async () => {
    const silent = createServer()
    silent.listen(socketPath)
    await once(silent, 'listening')
    await expect(startControl(socketPath, deps(), log)).rejects.toThrow('service that does not answer is already')
    silent.close()
  })

  it('replaces the socket of one that was killed', async () => {
    const script = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => console.log('up'))`
    const dying = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(dying.stdout, 'data')
    dying.kill('SIGKILL')
    await once(dying, 'exit')

    expect(statSync(socketPath).isSocket()).toBe(true)
    expect(await askProcess(socketPath)).toBeUndefined()
    await requireAlone(socketPath)
    closing.add(await startControl(socketPath, deps(), log))
    expect(await askProcess(socketPath)).toEqual({ pid: process.pid })
  })
})

describe('a data directory too deep for a socket', () => {
  it('listens in the temporary directory instead, in a folder of its own', async () => {
    const deep = controlSocketPath(join(folder, 'deep'.repeat(30)))
    expect(deep).toMatch(/shortlink-[0-9a-f]{16}\/control\.sock$/)
    expect(controlSocketPath(join(folder, 'deep'.repeat(30)))).toBe(deep)
    expect(controlSocketPath(join(folder, 'other'.repeat(30)))).not.toBe(deep)
    const control = await startControl(deep, deps(), log)
    expect(statSync(dirname(deep)).mode & 0o777).toBe(0o700)
    expect(await askProcess(deep)).toEqual({ pid: process.pid })
    await control.close()
    rmSync(dirname(deep), { recursive: true })
  })
})

function statusOf(operation: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'POST', path: `/${operation}` }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
