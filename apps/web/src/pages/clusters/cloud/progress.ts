/** How far the engine has come: how many things are done of how many. Null before it has said how many there are. */
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
