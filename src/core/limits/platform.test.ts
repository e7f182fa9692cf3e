import { countersContract } from './counters.contract.js'
import { MemoryCounters } from './platform.js'

countersContract(async () => new MemoryCounters(), false)
