import { nsqdChecks } from './checks.js'
import { embedded } from './embedded.js'

nsqdChecks(embedded)
