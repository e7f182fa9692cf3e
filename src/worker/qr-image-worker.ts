/** The QR image thread. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { toPdf } from '../storage/qr-images/pdf.js'
import { renderPng } from '../storage/qr-images/png.js'
import { lowerPriority } from './lower-priority.js'
import type { QrImageThreadMethods } from './qr-image-thread.js'
import { ThreadCalls } from './thread-calls.js'
import type { SupervisorMethods } from './worker-supervisor.js'

async function runThread(port: MessagePort): Promise<void> {
  const methods: QrImageThreadMethods = { png: renderPng, pdf: toPdf, close: () => port.close() }
  new ThreadCalls<SupervisorMethods>(port, methods).tell('ready', [undefined])
  await lowerPriority()
}

if (!parentPort) throw new Error('qr-image-worker.js must be started by qr-image-thread.js')
await runThread(parentPort)
