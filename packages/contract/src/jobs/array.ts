/** More tasks would slow down every query of the queue for everyone. */
const ARRAY_TASKS_MAX = 20_000

/**
 * The number of tasks in `1-10,15`, where a final `%4` limits how many run at a time; 0 for a single job, null if it is
 * invalid.
 */
export function arrayTasks(array: string): number | null {
  if (array === '') return 0
  const [, list] = /^([\d,-]+)(?:%[1-9]\d{0,8})?$/.exec(array) ?? []
  const counts = list?.split(',').map((part) => {
    const [, first, last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(part) ?? []
    return first === undefined ? 0 : Number(last) - Number(first) + 1
  })
  if (!counts || counts.some((count) => count < 1)) return null
  const sum = counts.reduce((all, count) => all + count, 0)
  return sum > ARRAY_TASKS_MAX ? null : sum
}

export interface Tasks {
  /** In ascending order, without duplicates. */
  numbers: number[]
  /** How many may run at a time. */
  limit?: number
}

/** Parses `0-9`, `1-99:2` or `1,5,7`, each optionally followed by `%4`; undefined if it is none of these. */
export function parseTasks(text: string): Tasks | undefined {
  const whole = /^([\d,:-]+)(?:%(\d{1,9}))?$/.exec(text)
  if (!whole) return undefined
  const limit = whole[2] === undefined ? undefined : Number(whole[2])
  if (limit === 0) return undefined
  const numbers = new Set<number>()
  let named = 0
  for (const part of (whole[1] ?? '').split(',')) {
    const match = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part)
    const first = Number(match?.[1])
    const last = Number(match?.[2] ?? first)
    const step = Number(match?.[3] ?? 1)
    if (!match || last < first || step < 1) return undefined
    named += Math.floor((last - first) / step) + 1
    if (named > ARRAY_TASKS_MAX) return undefined
    for (let number = first; number <= last; number += step) numbers.add(number)
  }
  return { numbers: [...numbers].toSorted((a, b) => a - b), limit }
}

/** The shortest notation of these numbers: `0-9`, `1-99:2`, `1,5,7`. They must be in ascending order. */
export function formatTasks(numbers: readonly number[]): string {
  const parts: string[] = []
  for (let from = 0; from < numbers.length;) {
    const first = numbers[from] ?? 0
    const step = (numbers[from + 1] ?? first + 1) - first
    let to = from
    while (to + 1 < numbers.length && (numbers[to + 1] ?? 0) - (numbers[to] ?? 0) === step) to++
    // Two numbers alone do not make a series; the second may start one.
    if (to === from + 1 && step > 1) to = from
    const last = numbers[to] ?? first
    parts.push(to === from ? String(first) : `${first}-${last}${step > 1 ? `:${step}` : ''}`)
    from = to + 1
  }
  return parts.join()
}
