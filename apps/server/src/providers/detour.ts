/** For tests: the same call at another address, where the host that was meant is the first part of the path. */
export function detour(endpoint: string, url: string | URL): string {
  const { host, pathname, search } = new URL(url)
  return `${endpoint}/${host}${pathname}${search}`
}
