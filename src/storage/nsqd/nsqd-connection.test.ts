import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../lib/certificate.js'
import { uint32 } from './daemon.js'

it('drops what was sent in clear before TLS, also the beginning of a frame', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'shortlink-nsqd-connection-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const validity = { from: new Date(), days: 1 }
  const authority = makeAuthority('a test', validity)
  const { certificate: cert, key } = makeServerCertificate(authority, ['127.0.0.1'], validity)
  const authorityFile = join(folder, 'authority.pem')
  writeFileSync(authorityFile, authority.certificate)

  const server = createServer((socket) => {
    socket.on('error', () => {})
    let asked = ''
    socket.on('data', (chunk) => {
      asked += chunk
      if (!asked.endsWith('}')) return
      socket.removeAllListeners('data')
      const sizeOfAnotherFrame = uint32(64)
      socket.write(Buffer.concat([response('{"tls_v1":true}'), sizeOfAnotherFrame]))
      upgrade(socket)
    })
  })
  const upgrade = (socket: Socket) => {
    const secure = new TLSSocket(socket, { isServer: true, cert, key })
    secure.on('error', () => {}).once('secure', () => secure.write(response('OK')))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  // In a process of its own: Node reads the authorities that it trusts once, when it starts.
  const program = `
    import { NsqdConnection } from ${JSON.stringify(new URL('../../../dist-modules/storage/nsqd/nsqd-connection.js', import.meta.url))}
    const connection = await NsqdConnection.open({ host: '127.0.0.1', port: ${port} })
    console.log(await connection.identify({ heartbeatInterval: -1 }))
    connection.close()`
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })
  expect(stdout).toContain('authRequired: false')
})

function response(data: string): Buffer {
  return Buffer.concat([uint32(4 + data.length), uint32(0), Buffer.from(data)])
}
