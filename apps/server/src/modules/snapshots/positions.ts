/** Room between two rows, so that others fit in without moving any. */
const GAP = 1024
const MOST = 2 ** 31 - 1

/**
 * Where rows stand in an order that is kept in a table. Given the old place of each, if it had one, in the new order: as
 * many as possible stay where they are, so that one job that leaves a queue of ten thousand rewrites no other.
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
    // No room left between them: all are reassigned.
    if (step < 1 || above > MOST) return old.map((_, index) => index * GAP)
    for (let index = from; index < to; index++) places.push(below + (index - from + 1) * step)
    from = to
  }
  return places
}

/** The indexes of a longest part of the list, not necessarily in one piece, whose numbers rise. */
function longestRise(list: (number | undefined)[]): Set<number> {
  /** For each length, the index where the rise of that length ends lowest. */
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
