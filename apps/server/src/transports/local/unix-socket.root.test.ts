import { once } from 'node:events'
import { chown, lchown, mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { connectToUnixSocket } from './unix-socket'

// The server runs as root and could connect to every socket.
const UID = 61_234
let home: string
let folder: string
beforeEach(async () => {
  home = await testFolder()
  folder = path.join(home, 'sockets')
  await mkdir(folder)
})

/** Listens on a socket whose full path may be too long for the system. */
async function listen(name: string, greeting: string, uid = UID): Promise<void> {
  const server = createServer((socket) => socket.end(greeting))
  const short = path.join(await testFolder(), 's')
  await new Promise<void>((resolve) => server.listen(short, resolve))
  onTestFinished(() => void server.close())
  await chown(short, uid, uid)
  await rename(short, path.join(folder, name))
}
const greetingOf = async (name = 's', inside = ['sockets']): Promise<string> => {
  const socket = await connectToUnixSocket({ base: home, folder: inside }, name, UID)
  socket.resume()
  const [greeting] = (await once(socket, 'data')) as [Buffer]
  return greeting.toString()
}

it('connects to a socket of the account, however long its path', async () => {
  await listen('s', 'short')
  expect(await greetingOf()).toBe('short')
  const long = 'x'.repeat(120)
  await listen(long, 'long')
  expect(await greetingOf(long)).toBe('long')
})

it('rejects sockets of other accounts', async () => {
  await listen('s', 'of root', 0)
  await expect(greetingOf()).rejects.toThrow('another account')
})

it('follows no links, neither at the end of the path nor before', async () => {
  await listen('real', 'hello')
  await symlink('real', path.join(folder, 's'))
  await lchown(path.join(folder, 's'), UID, UID)
  await expect(greetingOf()).rejects.toThrow('ECONNREFUSED')
  await symlink('sockets', path.join(home, 'way'))
  await expect(greetingOf('real', ['way'])).rejects.toThrow('ELINKED')
  expect(await greetingOf('real')).toBe('hello')
})

it('fails if the path is not a socket, has no listener or does not exist', async () => {
  await writeFile(path.join(folder, 'file'), '')
  await chown(path.join(folder, 'file'), UID, UID)
  await expect(greetingOf('file')).rejects.toThrow('ECONNREFUSED')
  await expect(greetingOf('nothing')).rejects.toThrow('ENOENT')
})
