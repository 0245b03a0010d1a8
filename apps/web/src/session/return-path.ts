/** A path of this site that may be gone to after a login: one slash, then no second one and no backslash. */
export function safePath(path: unknown): string | null {
  if (typeof path !== 'string' || !/^\/(?![/\\])/.test(path)) return null
  try {
    const url = new URL(path, location.origin)
    return url.origin === location.origin ? url.pathname + url.search + url.hash : null
  } catch {
    return null
  }
}
