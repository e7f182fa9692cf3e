/**
 * Schemes besides http and https that a browser or the system of a phone opens by itself: no installed application can have
 * one for itself, so sending somebody there would run a script or open anything at all.
 */
export const browserSchemes: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'chrome',
  'content',
  'data',
  'file',
  'filesystem',
  'ftp',
  'intent',
  'javascript',
  'mailto',
  'sms',
  'tel',
  'vbscript',
  'view-source',
  'ws',
  'wss',
])
