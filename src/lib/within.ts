/** Rejects when the work is not done in time. The work itself continues; its late result is ignored. */
export function within<T>(milliseconds: number, work: Promise<T>, who: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`${who} did not answer within ${milliseconds / 1000} seconds.`))
    const timer = setTimeout(late, milliseconds)
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
