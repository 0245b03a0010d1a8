/**
 * Returns the result of `work` or, if it takes longer than `ms`, what `late` returns or throws. The work is not
 * canceled, and the timer does not keep the process running.
 */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined>
export function within<T, Late>(ms: number, work: Promise<T>, late: () => Late): Promise<T | Late>
export async function within(ms: number, work: Promise<unknown>, late?: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE).unref()
  })
  try {
    const answer = await Promise.race([work, tooLate])
    return answer === LATE ? late?.() : answer
  } finally {
    clearTimeout(timer)
  }
}

const LATE = Symbol('late')
