/** A path of this site that is safe to open after a login: one slash, then no second slash or backslash. */
export function safePath(path: unknown): string | null {
  if (typeof path !== 'string' || !/^\/(?![/\\])/.test(path)) return null
  try {
    const url = new URL(path, location.origin)
    return url.origin === location.origin ? url.pathname + url.search + url.hash : null
  } catch {
    return null
  }
}
