import type { NamedAttributes, Sftp } from './sftp'

/** Far more than are shown, so that except in the largest folders the first entries in order are shown. */
const NAMES_MAX = 100_000
/** Bounds the total length of names: real ones have at most 255 bytes, but a server may invent longer ones. */
const LETTERS_MAX = 16 * 1024 * 1024

/**
 * The entries of a folder in the server's order. The server is untrusted and may send entries forever; the listing is
 * `cut` when a limit or the timeout is reached.
 */
export async function listFolder(
  sftp: Sftp,
  at: string,
  timeoutMs: number,
  most = NAMES_MAX,
): Promise<{ names: NamedAttributes[]; cut: boolean }> {
  const until = Date.now() + timeoutMs
  const names: NamedAttributes[] = []
  let letters = 0
  const handle = await sftp.openFolder(at)
  try {
    for (;;) {
      const some = await sftp.readFolder(handle)
      if (!some) return { names, cut: false }
      for (const one of some) {
        if (one.name === '.' || one.name === '..') continue
        letters += one.name.length
        if (names.length === most || letters > LETTERS_MAX) return { names, cut: true }
        names.push(one)
      }
      if (Date.now() > until) return { names, cut: true }
    }
  } finally {
    await sftp.closeHandle(handle)
  }
}
