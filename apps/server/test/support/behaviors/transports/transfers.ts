import { execFileSync } from 'node:child_process'
import { appendFile, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { until } from '../../until'
import type { Subject } from './subject'

export function transferBehaviors({ name, on, folder }: Subject): void {
  const folderWithFiles = async () => {
    const root = await folder()
    return { root, files: on().files(root) }
  }

  describe(`${name}: transfers`, () => {
    it('resumes an upload where it was interrupted', async () => {
      const { files, root } = await folderWithFiles()
      const bytes = Buffer.alloc(2_500_000, 'abcdefghij')
      const broken = async function* () {
        yield bytes.subarray(0, 1_200_000)
        throw new Error('the sender went away')
      }
      await expect(files.write('up.part', broken(), { how: 0 })).rejects.toThrow('the sender went away')
      const { size } = await files.stat('up.part')
      expect(size).toBe(1_200_000)
      // The sender knows of fewer bytes than the receiver has stored.
      await files.write('up.part', bytes.subarray(1_000_000), { how: 1_000_000 })
      await files.rename('up.part', 'up')
      expect((await readFile(path.join(root, 'up'))).equals(bytes)).toBe(true)
      await expect(files.write('up', 'x', { how: 9_999_999 })).rejects.toMatchObject({
        reason: 'wrong offset',
      })
    })

    it('follows a file while it grows, is truncated and is replaced', async () => {
      const { files, root } = await folderWithFiles()
      const file = path.join(root, 'log')
      const stop = new AbortController()
      let seen = ''
      let last = { offset: 0, length: 0 }
      const following = (async () => {
        for await (const piece of files.tail('log', { from: 0, signal: stop.signal })) {
          if (piece.restarted) seen += '|'
          seen += piece.data.toString()
          last = { offset: piece.offset, length: piece.data.length }
        }
      })()
      await writeFile(file, 'one ', { mode: 0o644 })
      await until(() => seen === 'one ')
      await appendFile(file, 'two ')
      await until(() => seen === 'one two ')
      expect(last.offset + last.length).toBe(8)
      await truncate(file, 0)
      await appendFile(file, 'new ')
      await until(() => seen === 'one two |new ')
      await rm(file)
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      await writeFile(`${file}.draft`, 'other file ', { mode: 0o644 })
      await rename(`${file}.draft`, file)
      await until(() => seen === 'one two |new |other file ')
      stop.abort()
      await following
    })

    it('tails from an offset, and from an offset before the end', async () => {
      const { files } = await folderWithFiles()
      await files.write('log', '0123456789', { how: 'create' })
      for (const [from, text] of [
        [4, '456789'],
        [-3, '789'],
        [-50, '0123456789'],
      ] as const) {
        const stop = new AbortController()
        for await (const piece of files.tail('log', { from, signal: stop.signal })) {
          expect(piece.data.toString()).toBe(text)
          stop.abort()
        }
      }
    })

    it('packs a folder as tar.gz and keeps links as links', async () => {
      const { files, root } = await folderWithFiles()
      await files.mkdir('-a b')
      await files.write('-a b/grüße.txt', 'hello', { how: 'create' })
      await symlink('/etc/passwd', path.join(root, '-a b/secret'))
      const packing = await files.archive('-a b')
      const packed = Buffer.concat(await packing.toArray())
      const listing = execFileSync('tar', ['-tvzf', '-'], {
        input: packed,
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      })
      expect(listing).toContain('./-a b/grüße.txt')
      expect(listing).toContain('secret -> /etc/passwd')
      await expect(files.archive('nothing')).rejects.toMatchObject({
        step: 'pack folder',
        reason: 'not found',
      })
    })
  })
}
