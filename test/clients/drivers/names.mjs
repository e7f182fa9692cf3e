// Loaded with --import before the client: stands for the DNS record of links.example.com.
import { Socket } from 'node:net'
import { world } from './calls.mjs'

const { connect } = Socket.prototype
Socket.prototype.connect = function (options, ...rest) {
  const here =
    options?.host === 'links.example.com' ? { ...options, host: '127.0.0.1', port: world.httpsPort } : options
  return connect.call(this, here, ...rest)
}
