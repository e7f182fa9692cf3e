import { describe, it } from 'vitest'
import { goNsq } from '../../support/go-nsq.js'
import { nsqdChecks } from './checks.js'
import { realNsqd } from './real.js'

/** The same checks against the program that we claim to be like: a check that fails here is a mistake of the check. */
const programs = goNsq()
if ('skip' in programs) describe.skip(`nsqd 1.3.0 (skipped: ${programs.skip})`, () => it('behaves as ours', () => {}))
else nsqdChecks(realNsqd(programs.nsqd))
