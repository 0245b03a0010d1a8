/** Each is a command on the cluster: few enough that no call takes long, and fewer than one call may name. */
const AT_ONCE = 100

/** As many calls as it takes for a long selection. */
export function batches<T>(all: readonly T[]): T[][] {
  const parts = Math.ceil(all.length / AT_ONCE)
  return Array.from({ length: parts }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
}
