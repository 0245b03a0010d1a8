/** Pseudorandom numbers that are the same at every start, so that runs of the demo can be compared. */
export type Random = ReturnType<typeof makeRandom>

/** mulberry32 */
export function makeRandom(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least: number, most: number): number => least + (most - least) * next(),
    chance: (share: number): boolean => next() < share,
    /** How often something happens that happens `mean` times on average. */
    count(mean: number): number {
      const limit = Math.exp(-mean)
      let times = 0
      for (let product = next(); product > limit; product *= next()) times++
      return times
    },
    pick<Item>(items: readonly [Item, ...Item[]]): Item {
      return items[Math.floor(next() * items.length)] ?? items[0]
    },
  }
}
