import { sampleOf } from '../../lib/sample.builder.js'
import type { RawClick } from './click.js'

/** For tests: a click by a person, with the given fields. */
export const aRawClick = sampleOf<RawClick>({
  at: Date.parse('2026-11-15T12:00:00Z'),
  method: 'GET',
  address: 'sho.rt/a',
  linkId: 'sho.rt/a',
  groupGuid: 'Bgroup',
  destination: 'https://example.com/',
  kind: 'click',
  site: '',
  visitor: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
  referrer: '',
  language: 'en',
  purpose: '',
})
