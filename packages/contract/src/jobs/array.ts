/** More would slow down every query of the queue for everyone. */
export const ARRAY_TASKS_MAX = 20_000

/**
 * How many tasks `1-10,15` names, with `%4` behind it to run four at a time; 0 for a single job, null if it is
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
