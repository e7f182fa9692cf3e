import { expect, it } from 'vitest'
import { SilentProxy } from '../../../test/support/silent-proxy.js'
import { startSmtpServer } from '../../../test/support/smtp-server.js'
import { smtpMail } from './smtp.js'

const from = 'shortlink@example.com'
const mail = { to: 'ada@example.com', subject: 'Hello', text: 'Hello, Ada.' }

it('does not wait for a mail server without end, and knows that it failed', async () => {
  const silent = await SilentProxy.start(1)
  silent.silent = true
  const smtp = smtpMail({ url: `smtp://127.0.0.1:${silent.port}`, from, timeout: 200 })
  expect(smtp.server.status).toEqual({ state: 'unused' })
  await expect(smtp.send(mail)).rejects.toThrow('did not answer within 0.2 seconds')
  expect(smtp.server.status).toMatchObject({ state: 'failing', failure: expect.stringContaining('did not answer') })
  await smtp.close()
  await silent.close()
})

it('does not take a server that refuses a message for one that fails', async () => {
  const server = await startSmtpServer()
  const smtp = smtpMail({ url: server.url, from })
  await smtp.send(mail)
  expect(smtp.server.status).toMatchObject({ state: 'ok' })
  server.refuse()
  await expect(smtp.send(mail)).rejects.toThrow()
  expect(smtp.server.status).toMatchObject({ state: 'ok' })
  await smtp.close()
  await server.close()
})
