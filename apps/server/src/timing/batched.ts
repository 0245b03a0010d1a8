/** Batches the inputs of `ms` milliseconds into one call of `work`, which returns the answers in the same order. */
export function batched<Input, Answer>(
  ms: number,
  work: (all: Input[]) => Promise<Answer[]>,
): (input: Input) => Promise<Answer | undefined> {
  let waiting: { all: Input[]; answers: Promise<Answer[]> } | undefined
  const later = (all: Input[]) =>
    new Promise<Answer[]>((resolve) => {
      setTimeout(() => {
        waiting = undefined
        resolve(work(all))
      }, ms)
    })
  return async (input) => {
    if (!waiting) {
      const all: Input[] = []
      waiting = { all, answers: later(all) }
    }
    const place = waiting.all.push(input) - 1
    return (await waiting.answers)[place]
  }
}
