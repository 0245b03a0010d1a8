/** What is asked for within a moment is done at once, by one call that answers in the same order. */
export function batched<Asked, Answer>(
  ms: number,
  work: (all: Asked[]) => Promise<Answer[]>,
): (asked: Asked) => Promise<Answer | undefined> {
  let waiting: { all: Asked[]; answers: Promise<Answer[]> } | undefined
  const later = (all: Asked[]) =>
    new Promise<Answer[]>((resolve) => {
      setTimeout(() => {
        waiting = undefined
        resolve(work(all))
      }, ms)
    })
  return async (asked) => {
    if (!waiting) {
      const all: Asked[] = []
      waiting = { all, answers: later(all) }
    }
    const place = waiting.all.push(asked) - 1
    return (await waiting.answers)[place]
  }
}
