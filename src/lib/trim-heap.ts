/**
 * Gives memory back that was needed to start. Loading the program leaves a young generation of 32 MB, and V8 only shrinks it
 * when it optimizes for size: so it does for some seconds, and does it itself, in small steps. The memory grows again under load.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** V8 begins eight seconds after a collection without much work, and repeats it once. */
const optimizeFor = 20_000

/** Collects garbage of this thread, which takes some 50 ms: call it before visitors come. */
export function trimHeap(): void {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--optimize-for-size')
  const collect = runInNewContext('gc') as () => void
  collect()
  setTimeout(() => setFlagsFromString('--no-optimize-for-size'), optimizeFor).unref()
}
