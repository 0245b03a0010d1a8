/**
 * The engine's progress; null until it has reported the total. It is parsed from the log, because the engine's events
 * are not stored anywhere else.
 */
export function progressOf(lines: readonly { text: string }[]): { done: number; of: number } | null {
  let of: number | null = null
  let done = 0
  for (const { text } of lines) {
    const planned = /Plan: (\d+) to add, (\d+) to change, (\d+) to destroy/.exec(text)
    if (planned) {
      of = planned.slice(1).reduce((sum, count) => sum + Number(count), 0)
      done = 0
    } else if (/: (Creation|Modifications|Destruction) complete after /.test(text)) done += 1
  }
  return of === null || of === 0 ? null : { done: Math.min(done, of), of }
}
