/** For tests: redirects a call to another address, where the original host is the first part of the path. */
export function detour(endpoint: string, url: string | URL): string {
  const { host, pathname, search } = new URL(url)
  return `${endpoint}/${host}${pathname}${search}`
}
