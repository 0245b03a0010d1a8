/** Each is a command on the cluster: small enough that no call takes long, and below the limit of one call. */
const AT_ONCE = 100

/** Splits a long selection into several calls. */
export function batches<T>(all: readonly T[]): T[][] {
  const parts = Math.ceil(all.length / AT_ONCE)
  return Array.from({ length: parts }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE))
}
