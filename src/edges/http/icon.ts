/** The mark in both colours, for browser tabs; SVG, which browsers take as /favicon.ico too. */
export const icon = {
  type: 'image/svg+xml',
  body: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#4d75f0" stroke-width="2.4" stroke-linecap="round"><path stroke="#e8761c" d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1.2 1.2"/><path d="M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1.2-1.2"/></svg>',
  ),
  caching: 'public, max-age=86400',
} as const
