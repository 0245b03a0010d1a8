import type { NamedAttributes, Sftp } from './sftp'

/** Far more than are shown, so that those which are shown are the first ones of all but the largest folders. */
const NAMES_MAX = 100_000
/** No name on a disk is longer than 255 bytes; this bounds those that are on none. */
const LETTERS_MAX = 16 * 1024 * 1024

/**
 * What is in a folder, in the server's order. The server is someone else's and may go on forever: then it is `cut`, as
 * soon as the limit is reached or the time is over.
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
