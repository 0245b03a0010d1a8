import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject'

export function fileBehaviors({ name, on, folder }: Subject): void {
  const folderWithFiles = async () => {
    const root = await folder()
    return { root, files: on().files(root) }
  }

  describe(`${name}: files`, () => {
    it('are written, listed, inspected, read, renamed and removed', async () => {
      const { files, root } = await folderWithFiles()
      await files.mkdir('a/b', { parents: true })
      await files.mkdir('a/b', { parents: true })
      expect(await files.write('a/b/grüße 1.txt', 'hello', { how: 'create', permissions: 0o640 })).toEqual({
        size: 5,
      })
      expect(await files.stat('a/b/grüße 1.txt')).toMatchObject({
        name: 'grüße 1.txt',
        kind: 'file',
        size: 5,
        mode: '-rw-r-----',
        permissions: 0o640,
      })
      expect((await files.stat('')).kind).toBe('folder')
      expect(await files.list('a')).toMatchObject({
        entries: [{ name: 'b', kind: 'folder', mode: expect.stringMatching(/^drwx/) }],
        truncated: false,
      })
      await files.rename('a/b/grüße 1.txt', 'a/c.txt')
      expect(await files.readText('/a/c.txt', { maxBytes: 100 })).toBe('hello')
      await expect(files.readText('/a/c.txt', { maxBytes: 4 })).rejects.toMatchObject({ step: 'read file' })
      await files.remove('a/c.txt')
      await files.remove('a/b')
      await files.write('a/y', 'z', { how: 'create' })
      await expect(files.remove('a')).rejects.toMatchObject({ step: 'remove', reason: 'not empty' })
      await symlink('/etc', path.join(root, 'a/out'))
      await files.remove('a', { recursive: true })
      expect((await files.list('')).entries).toEqual([])
      expect(existsSync('/etc/passwd')).toBe(true)
    })

    it.each([0, 0.2, 0.4999, 0.5, 0.7777, 0.9999])(
      'have one modification time, whether inspected or read, %s ms after a whole one',
      async (fraction) => {
        const { files, root } = await folderWithFiles()
        await files.write('a', 'x', { how: 'create' })
        const at = `@1700000000.${String(Math.round((123 + fraction) * 1_000_000)).padStart(9, '0')}`
        execFileSync('touch', ['-d', at, path.join(root, 'a')])
        const { modifiedAt, stream } = await files.read('a')
        stream.destroy()
        expect(modifiedAt).toBe((await files.stat('a')).modifiedAt)
      },
    )

    it('of a large folder are listed in part, which is reported', async () => {
      const { files, root } = await folderWithFiles()
      await Promise.all(
        Array.from({ length: 300 }, (_, index) => writeFile(path.join(root, `f${1000 + index}`), '')),
      )
      const { entries, truncated } = await files.list('', { limit: 250 })
      expect([entries.length, entries[0]?.name, entries.at(-1)?.name, truncated]).toEqual([
        250,
        'f1000',
        'f1249',
        true,
      ])
      expect((await files.list('')).truncated).toBe(false)
    })

    it('fail with an explanation', async () => {
      const { files, root } = await folderWithFiles()
      await files.write('file', 'x', { how: 'create' })
      await files.mkdir('folder')
      execFileSync('mkfifo', ['-m', '666', path.join(root, 'pipe')])
      const failure = (step: string, reason: string) => expect.objectContaining({ step, reason })
      await expect(files.stat('no')).rejects.toEqual(failure('stat file', 'not found'))
      await expect(files.list('file')).rejects.toEqual(failure('list folder', 'not a folder'))
      await expect(files.read('folder')).rejects.toEqual(failure('read file', 'not a file'))
      await expect(files.read('pipe')).rejects.toEqual(failure('read file', 'not a file'))
      await expect(files.write('pipe', 'x', { how: 0 })).rejects.toEqual(failure('write file', 'not a file'))
      await expect(files.write('file', 'x', { how: 'create' })).rejects.toEqual(
        failure('write file', 'exists'),
      )
      await expect(files.write('folder', 'x', { how: 'replace' })).rejects.toEqual(
        failure('write file', 'not a file'),
      )
      await expect(files.mkdir('folder')).rejects.toEqual(failure('create folder', 'exists'))
      await expect(files.rename('file', 'folder')).rejects.toEqual(failure('rename', 'exists'))
      await expect(files.rename('no', 'other')).rejects.toEqual(failure('rename', 'not found'))
      await expect(files.remove('')).rejects.toEqual(failure('remove', 'denied'))
      await expect(files.stat('a\0b')).rejects.toEqual(failure('stat file', 'bad name'))
      await expect(files.stat('no')).rejects.toThrow('"no" does not exist.')
      await expect(on().files(path.join(root, 'missing')).list('')).rejects.toMatchObject({
        reason: 'not found',
      })
    })

    it('are replaced atomically and keep their permissions, even behind a link', async () => {
      const { files, root } = await folderWithFiles()
      await files.write('script', 'old', { how: 'create', permissions: 0o755 })
      await symlink('script', path.join(root, 'link'))
      await files.write('link', 'new', { how: 'replace' })
      expect(await readlink(path.join(root, 'link'))).toBe('script')
      expect(await readFile(path.join(root, 'script'), 'utf8')).toBe('new')
      expect((await stat(path.join(root, 'script'))).mode & 0o777).toBe(0o755)
      const broken = async function* () {
        yield 'half'
        throw new Error('the sender went away')
      }
      await expect(files.write('script', broken(), { how: 'replace' })).rejects.toThrow(
        'the sender went away',
      )
      expect(await readFile(path.join(root, 'script'), 'utf8')).toBe('new')
      expect((await files.list('')).entries.map((one) => one.name)).toEqual(['link', 'script'])
    })

    it('replace an existing file when renamed only if requested', async () => {
      const { files, root } = await folderWithFiles()
      await files.write('a', 'a', { how: 'create' })
      await files.write('b', 'b', { how: 'create' })
      await expect(files.rename('a', 'b')).rejects.toMatchObject({
        reason: 'exists',
        message: '"b" already exists.',
      })
      await files.rename('a', 'b', { replace: true })
      expect(await readFile(path.join(root, 'b'), 'utf8')).toBe('a')
    })

    it('can be read in any range, with binary content unchanged', async () => {
      const { files, root } = await folderWithFiles()
      const bytes = Buffer.alloc(3_000_001, 0)
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 7) % 256
      await writeFile(path.join(root, 'big'), bytes)
      const whole = await files.read('big')
      expect(whole.size).toBe(bytes.length)
      expect(Buffer.concat(await whole.stream.toArray()).equals(bytes)).toBe(true)
      for (const [offset, length] of [
        [0, 1],
        [1_000_000, 1_000_000],
        [2_999_990, 100],
        [5_000_000, 10],
      ] as const) {
        const { stream } = await files.read('big', { offset, length })
        expect(Buffer.concat(await stream.toArray()).equals(bytes.subarray(offset, offset + length))).toBe(
          true,
        )
      }
      const given = await files.read('big')
      given.stream.destroy()
    })
  })
}
