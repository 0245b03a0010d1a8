/** The distance between two rows, so that others can be inserted without moving any. */
const GAP = 1024
const MOST = 2 ** 31 - 1

/**
 * Assigns positions to the rows of an ordered table. Takes the old position of each row, if any, in the new order, and
 * keeps as many as possible, so that a job that leaves a queue of ten thousand does not rewrite the others.
 */
export function keepPositions(old: (number | undefined)[]): number[] {
  const staying = longestRise(old)
  const places: number[] = []
  let from = 0
  while (from < old.length) {
    if (staying.has(from)) {
      places.push(old[from] ?? 0)
      from++
      continue
    }
    let to = from
    while (to < old.length && !staying.has(to)) to++
    const below = places.at(-1) ?? -GAP
    const above = to < old.length ? (old[to] ?? 0) : below + (to - from + 1) * GAP
    const step = Math.floor((above - below) / (to - from + 1))
    // Without space between them, all rows get new positions.
    if (step < 1 || above > MOST) return old.map((_, index) => index * GAP)
    for (let index = from; index < to; index++) places.push(below + (index - from + 1) * step)
    from = to
  }
  return places
}

/** The indexes of a longest increasing subsequence. */
function longestRise(list: (number | undefined)[]): Set<number> {
  /** For each length, the index at which the lowest subsequence of that length ends. */
  const ends: number[] = []
  const previous = new Map<number, number>()
  list.forEach((value, index) => {
    if (value === undefined) return
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((list[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    const before = ends[low - 1]
    if (before !== undefined) previous.set(index, before)
    ends[low] = index
  })
  const found = new Set<number>()
  for (let index = ends.at(-1); index !== undefined; index = previous.get(index)) found.add(index)
  return found
}
