import { createHash, randomBytes } from 'node:crypto'
import { link, realpath, rename, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

/**
 * The longest path for a socket: the limit is 104 bytes on macOS and 108 on Linux, and the draft's suffix needs some.
 */
const LONGEST = 80

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

const listen = (name: string) =>
  new Promise<net.Server>((resolve, reject) => {
    const server = net.createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(name, () => resolve(server.unref()))
  })

const responds = (name: string) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(name)
    socket.once('connect', () => resolve(true))
    // Any other failure, such as a lock of another account, does not prove that the holder is gone.
    socket.once('error', (error) => resolve(codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT'))
    socket.once('close', () => socket.destroy())
  })

/**
 * Locks the folder for as long as this process lives. The lock is a listening socket: the kernel closes it with the
 * process, however that ends, so a stale lock is distinguished from a held one without relying on process ids, which
 * are reused and mean nothing in another container. Returns the release function, or undefined if the folder is in
 * use.
 */
export async function lockFolder(folder: string): Promise<(() => Promise<void>) | undefined> {
  const inside = path.join(await realpath(folder), 'embedded.lock')
  const name =
    Buffer.byteLength(inside) <= LONGEST
      ? inside
      : path.join(
          os.tmpdir(),
          `flotilla-${createHash('sha256').update(inside).digest('hex').slice(0, 16)}.lock`,
        )
  const draft = `${name}.${randomBytes(4).toString('hex')}`
  const server = await listen(draft)
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  try {
    for (;;) {
      try {
        await link(draft, name)
        return async () => {
          await rm(name, { force: true })
          await close()
        }
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      if (await responds(name)) break
      // Nothing responds, so a dead process left the lock behind. It is moved before it is removed, because another
      // server that is starting may have replaced it in the meantime; that server's lock is put back.
      const left = `${draft}.left`
      await rename(name, left).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error
      })
      const live = await responds(left)
      if (live) await link(left, name).catch(() => {})
      await rm(left, { force: true })
      if (live) break
    }
    await close()
    return undefined
  } catch (error) {
    await close()
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}
