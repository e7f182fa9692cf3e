import { countersContract } from '../../core/limits/counters.contract.js'
import { MemoryCounters } from './memory-counters.js'

countersContract(async () => new MemoryCounters(), false)
