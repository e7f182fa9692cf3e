/** Device, operating system and browser from the user agent: families, never versions. */
import { UAParser } from 'ua-parser-js'
import type { Device } from '../values/device.js'
import type { RawClick } from './click.js'
import type { Draft, Step } from './step.js'

export interface Agent {
  readonly device: Device
  readonly os: string
  readonly browser: string
}

export function readDevice(agentOf: (userAgent: string) => Agent): Step['run'] {
  return (raw: RawClick, click: Draft) => {
    const agent = agentOf(raw.userAgent)
    click.device = agent.device
    click.os = agent.os
    click.browser = agent.browser
    return undefined
  }
}

export function readAgent(userAgent: string): Agent {
  const parser = new UAParser(userAgent.slice(0, 512))
  const os = osFamily(parser.getOS().name ?? '')
  const browser = browserFamily(parser.getBrowser().name ?? '')
  return { device: deviceOf(parser.getDevice().type, os), os, browser }
}

/** The parser names no type for computers, so a known desktop system decides; what says nothing at all is Other. */
function deviceOf(type: string | undefined, os: string): Device {
  if (type === 'mobile') return 'Mobile'
  if (type === 'tablet') return 'Tablet'
  if (type !== undefined) return 'Other'
  if (desktopSystems.has(os)) return 'Desktop'
  return handheldSystems.has(os) ? 'Mobile' : 'Other'
}

const desktopSystems = new Set(['Windows', 'macOS', 'Linux', 'ChromeOS', 'FreeBSD', 'OpenBSD', 'NetBSD', 'Solaris'])

const handheldSystems = new Set(['iOS', 'Android', 'Windows Phone', 'HarmonyOS', 'KaiOS'])

// Our choice: one name for a family, so that reports are not split by the flavour of a Linux or the size of a Safari.
function osFamily(name: string): string {
  if (linuxFlavour.test(name)) return 'Linux'
  return osNames[name.toLowerCase()] ?? name
}

const linuxFlavour =
  /^(?:linux|gnu|[kxln]?ubuntu|debian|(?:open)?suse|gentoo|arch|slackware|fedora|mandriva|centos|pclinuxos|red ?hat|zenwalk|linpus|raspbian|deepin|manjaro|elementary os|mint|mageia|vectorlinux|sabayon|linspire)$/i

const osNames: Readonly<Record<string, string>> = {
  'mac os': 'macOS',
  'chromium os': 'ChromeOS',
  'chrome os': 'ChromeOS',
  'windows phone os': 'Windows Phone',
  'windows mobile': 'Windows Phone',
  android: 'Android',
}

function browserFamily(name: string): string {
  const family = browserFamilies.find((known) => name.toLowerCase().startsWith(known.toLowerCase()))
  return family ?? browserNames[name.toLowerCase()] ?? name
}

/** Chrome WebView, Firefox Focus, Opera Mini, ... */
const browserFamilies = ['Chrome', 'Firefox', 'Opera', 'Safari']

const browserNames: Readonly<Record<string, string>> = {
  'mobile safari': 'Safari',
  'mobile chrome': 'Chrome',
  'mobile firefox': 'Firefox',
  iemobile: 'IE',
  gsa: 'Google App',
}
