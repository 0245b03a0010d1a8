const ATTEMPTS = 3
const RETRY_MS = 1000

/**
 * The build wraps each `import()` in this function instead of Vite's helper (see vite.config.ts). A request may fail
 * although the file exists: browsers abort requests when the network changes, and a server that restarts does not
 * respond. This waits until the server responds, and rejects if the file no longer exists, as after an update.
 */
export async function loadPart<Part>(load: () => Promise<Part>, styles: string[] = []): Promise<Part> {
  for (let attempts = 1; ;) {
    try {
      const [part] = await Promise.all([load(), ...styles.map(addStyle)])
      return part
    } catch (error) {
      if ((await isServerResponding()) && attempts++ === ATTEMPTS) throw error
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

/** Requests boot.js, because the server always has it. */
const isServerResponding = () =>
  fetch('/boot.js', { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
