/** Everything this site stores in the browser has this prefix, so that a logout can clear all of it and nothing else. */
export const PREFIX = 'flotilla.'

export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name)
  } catch {
    return null
  }
}

/** If the browser cannot store data (private mode, full disk), only the convenience is lost. */
export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value)
  } catch {
    return
  }
}

export function clearStored(): void {
  try {
    const ours = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
    for (const key of ours) localStorage.removeItem(key)
  } catch {
    return
  }
  clearTab()
}

export function clearTab(): void {
  try {
    sessionStorage.clear()
  } catch {
    return
  }
}
