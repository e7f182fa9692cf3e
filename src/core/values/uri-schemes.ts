/**
 * Schemes that the browser or the phone's system handles itself. No application can own one, and a redirect to one could
 * run a script or open any file.
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
