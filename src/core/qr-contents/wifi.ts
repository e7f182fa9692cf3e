/** A wireless network that phones join: the format that the Wi-Fi Alliance took over from ZXing (WPA3 specification, 7.1). */
import { invalid } from '../values/refusal.js'

export const wifiSecurities = ['wpa', 'wep', 'none'] as const

export interface Wifi {
  readonly ssid: string
  /** `wpa` by default, which means WPA, WPA2 and WPA3; `none` is an open network. */
  readonly security?: string | undefined
  readonly password?: string | undefined
  /** The network does not announce its name. */
  readonly hidden?: boolean | undefined
}

export function wifiText({ ssid, security = 'wpa', password, hidden = false }: Wifi): string {
  requireSsid(ssid)
  const secret = passwordFor(security, password)
  const fields = [
    ['T', security === 'none' ? 'nopass' : security.toUpperCase()],
    ['S', escaped(ssid)],
    ...(secret === undefined ? [] : [['P', escaped(secret)]]),
    ...(hidden ? [['H', 'true']] : []),
  ]
  return `WIFI:${fields.map(([name, value]) => `${name}:${value};`).join('')};`
}

/** IEEE 802.11: 1 to 32 bytes. */
function requireSsid(ssid: string): void {
  if (ssid === '' || Buffer.byteLength(ssid) > 32 || unwritable.test(ssid)) {
    const message = 'Send the name of the network: 1 to 32 bytes of UTF-8, without control characters.'
    throw invalid('content.wifi.ssid', message)
  }
}

function passwordFor(security: string, password: string | undefined): string | undefined {
  switch (security) {
    case 'wpa':
      return requirePassword(password, wpaKey, '8 to 63 characters, or 64 hexadecimal digits')
    case 'wep':
      return requirePassword(password, wepKey, '5, 13 or 16 characters, or 10, 26 or 32 hexadecimal digits')
    case 'none':
      if (password === undefined) return undefined
      throw invalid('content.wifi.password', 'An open network has no password. Leave it out, or name the security.')
    default:
      throw invalid('content.wifi.security', `Send one of ${wifiSecurities.join(', ')}.`)
  }
}

/** IEEE 802.11 allows ASCII only; networks with WPA3 may have other letters in their password. */
const wpaKey = /^(?:[^\p{Cc}\p{Cs}]{8,63}|[0-9A-Fa-f]{64})$/u
const wepKey = /^(?:[ -~]{5}|[ -~]{13}|[ -~]{16}|[0-9A-Fa-f]{10}|[0-9A-Fa-f]{26}|[0-9A-Fa-f]{32})$/

function requirePassword(password: string | undefined, key: RegExp, rule: string): string {
  if (password === undefined || !key.test(password)) {
    throw invalid('content.wifi.password', `Send the password of the network: ${rule}.`)
  }
  return password
}

const unwritable = /[\p{Cc}\p{Cs}]/u

function escaped(text: string): string {
  return text.replace(/[\\;,:"]/g, '\\$&')
}
