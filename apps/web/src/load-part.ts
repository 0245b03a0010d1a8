const ATTEMPTS = 3
const RETRY_MS = 1000

/**
 * The build puts this around each `import()` instead of Vite's helper (see vite.config.ts). A request may fail although
 * the file is there: browsers abort what they load when the computer changes networks, and a server that restarts does
 * not respond. While it does not, this waits. Rejects when it does but no longer has the file, as after an update.
 */
export async function loadPart<Part>(load: () => Promise<Part>, styles: string[] = []): Promise<Part> {
  for (let attempts = 1; ;) {
    try {
      const [part] = await Promise.all([load(), ...styles.map(addStyle)])
      return part
    } catch (error) {
      if ((await isServerThere()) && attempts++ === ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

const addStyle = (path: string): Promise<unknown> | undefined => {
  const href = `/${path}`
  if (document.querySelector(`link[href="${href}"]`)) return
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  document.head.append(link)
  return new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', () => {
      link.remove()
      reject(new Error(`${path} was not loaded`))
    })
  })
}

/** Any file that the server always has will do. */
const isServerThere = () =>
  fetch('/boot.js', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
