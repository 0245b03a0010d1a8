import { execFileSync } from 'node:child_process'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Subject } from './subject'

export function confinementBehaviors({ name, on, folder, prepared }: Subject): void {
  describe(`${name}: confinement`, () => {
    const refused = expect.objectContaining({ reason: 'outside' })

    it('rejects paths and links that lead outside', async () => {
      const root = await folder()
      const inside = path.join(root, 'inside')
      await mkdir(inside)
      await prepared(inside)
      await writeFile(path.join(root, 'secret'), 'secret')
      const links = {
        absolute: '/etc/passwd',
        relative: '../secret',
        folder: '..',
        chain: 'relative',
        deep: 'sub/../../secret',
        proc: '/proc/self/cwd',
        sibling: `${inside}-other`,
      }
      await mkdir(path.join(inside, 'sub'))
      for (const [link, to] of Object.entries(links)) await symlink(to, path.join(inside, link))
      const files = on().files(inside)
      for (const link of Object.keys(links)) {
        await expect(files.read(link), link).rejects.toEqual(refused)
        await expect(files.write(link, 'x', { how: 'replace' }), link).rejects.toEqual(refused)
        await expect(files.write(link, 'x', { how: 0 }), link).rejects.toEqual(refused)
        await expect(files.stat(link), link).rejects.toEqual(refused)
        await expect(files.archive(link), link).rejects.toEqual(refused)
      }
      for (const given of ['../secret', 'sub/../../secret', '..', 'folder/secret', '/../secret']) {
        await expect(files.read(given), given).rejects.toEqual(refused)
        await expect(files.list(given), given).rejects.toEqual(refused)
        await expect(files.remove(given, { recursive: true }), given).rejects.toEqual(refused)
        await expect(files.mkdir(`${given}/new`), given).rejects.toEqual(refused)
      }
      await files.write('mine', 'x', { how: 'create' })
      await expect(files.rename('mine', 'folder/mine')).rejects.toEqual(refused)
      await expect(files.rename('folder/secret', 'stolen')).rejects.toEqual(refused)
      const { entries } = await files.list('')
      expect(entries.find((one) => one.name === 'absolute')).toMatchObject({
        kind: 'link',
        target: 'outside',
      })
      expect(await readFile(path.join(root, 'secret'), 'utf8')).toBe('secret')
    })

    it('rejects a root that was replaced by a link or is behind one', async () => {
      const home = await folder()
      const inside = path.join(home, 'jobs')
      await mkdir(path.join(inside, 'real'), { recursive: true })
      await mkdir(path.join(home, 'other/real'), { recursive: true })
      for (const made of ['jobs', 'jobs/real', 'other', 'other/real']) {
        await prepared(path.join(home, made))
        await writeFile(path.join(home, made, 'file'), made)
      }
      await symlink('real', path.join(inside, 'near'))
      await symlink('/etc', path.join(inside, 'far'))
      await symlink('.', path.join(inside, 'here'))
      await symlink('other', path.join(home, 'parent'))
      await symlink('nowhere', path.join(inside, 'broken'))
      expect(await on().files(home, 'jobs/real').readText('file', { maxBytes: 100 })).toBe('jobs/real')
      for (const root of ['jobs/near', 'jobs/far', 'jobs/here/real', 'parent/real', 'parent']) {
        const files = on().files(home, root)
        for (const one of ['file', 'passwd']) {
          await expect(files.stat(one), root).rejects.toEqual(refused)
          await expect(files.read(one), root).rejects.toEqual(refused)
          await expect(files.write(one, 'x', { how: 'replace' }), root).rejects.toEqual(refused)
          await expect(files.write(one, 'x', { how: 0 }), root).rejects.toEqual(refused)
          await expect(files.remove(one), root).rejects.toEqual(refused)
          await expect(files.archive(one), root).rejects.toEqual(refused)
        }
        await expect(files.list(''), root).rejects.toEqual(refused)
        await expect(files.archive(''), root).rejects.toEqual(refused)
        await expect(files.mkdir('made'), root).rejects.toEqual(refused)
        await expect(files.rename('file', 'renamed'), root).rejects.toEqual(refused)
      }
      await expect(on().files(home, 'jobs/broken').list('')).rejects.toMatchObject({
        reason: expect.stringMatching(/outside|not found/),
      })
      await expect(on().files(home, 'jobs/missing').list('')).rejects.toMatchObject({ reason: 'not found' })
      await expect(on().files(home, 'jobs/file').list('')).rejects.toMatchObject({
        reason: expect.stringMatching(/not a folder|not found/),
      })
      expect(() => on().files(home, '../up')).toThrow('outside this folder')
      expect(await readFile(path.join(home, 'other/real/file'), 'utf8')).toBe('other/real')
    })

    it('follows links that stay inside, and removes a link without its target', async () => {
      const root = await folder()
      await mkdir(path.join(root, 'real/deep'), { recursive: true })
      await prepared(path.join(root, 'real'))
      await prepared(path.join(root, 'real/deep'))
      await writeFile(path.join(root, 'real/deep/file'), 'here')
      await symlink('real/deep', path.join(root, 'short'))
      await symlink(path.join(root, 'real'), path.join(root, 'full'))
      await symlink('../../short/file', path.join(root, 'real/deep/again'))
      await symlink('loop', path.join(root, 'loop'))
      await symlink('nowhere', path.join(root, 'broken'))
      const files = on().files(root)
      for (const link of ['short/file', 'full/deep/file', 'full/deep/again'])
        expect(await files.readText(link, { maxBytes: 100 }), link).toBe('here')
      const { entries } = await files.list('')
      expect(entries.map(({ name: one, target }) => [one, target])).toEqual([
        ['broken', 'missing'],
        ['full', 'folder'],
        ['loop', expect.stringMatching(/missing|outside/)],
        ['real', undefined],
        ['short', 'folder'],
      ])
      await files.remove('short', { recursive: true })
      expect(await files.readText('real/deep/file', { maxBytes: 100 })).toBe('here')
    })

    it('follows links out of a folder if it acts as the account, and refuses to otherwise', async () => {
      const base = await folder()
      const [home, scratch] = [path.join(base, 'home'), path.join(base, 'scratch')]
      for (const made of [home, scratch, path.join(scratch, 'run')]) {
        await mkdir(made)
        await prepared(made)
      }
      await writeFile(path.join(scratch, 'run/file'), 'far')
      await symlink(path.join(scratch, 'run'), path.join(home, 'absolute'))
      await symlink('../scratch/run/../../scratch', path.join(home, 'relative'))
      await symlink('/../../..', path.join(home, 'top'))
      await symlink('b', path.join(home, 'a'))
      await symlink('a', path.join(home, 'b'))
      if (on().linksBlockedReason !== null) {
        expect(() => on().filesBeyond(home)).toThrow('cannot act as your own account')
        return
      }
      const files = on().filesBeyond(home)
      const { entries } = await files.list('')
      expect(entries.map(({ name: one, target }) => [one, target])).toEqual([
        ['a', 'missing'],
        ['absolute', 'folder'],
        ['b', 'missing'],
        ['relative', 'folder'],
        ['top', 'folder'],
      ])
      expect(await files.readText('absolute/file', { maxBytes: 10 })).toBe('far')
      expect(await files.readText('relative/run/file', { maxBytes: 10 })).toBe('far')
      expect(await files.readText(path.join(scratch, 'run/file'), { maxBytes: 10 })).toBe('far')
      expect((await files.list('top')).entries.map((one) => one.name)).toContain('etc')
      await files.mkdir('absolute/made')
      await files.write('absolute/made/one', '1', { how: 'create' })
      await files.write('absolute/made/one', '2', { how: 'replace' })
      await files.rename('absolute/made/one', path.join(scratch, 'run/two'))
      await files.permit('relative/run/two', 0o640)
      expect(await readFile(path.join(scratch, 'run/two'), 'utf8')).toBe('2')
      expect((await stat(path.join(scratch, 'run/two'))).mode & 0o7777).toBe(0o640)
      // Permissions may be changed below a chosen folder, even if the folder is behind a link, but not through a link
      // inside it.
      await files.permit('relative/run/two', 0o600, { below: 'relative' })
      await expect(files.permit('relative/run/two', 0o666, { below: '' })).rejects.toMatchObject({
        reason: 'outside',
      })
      expect((await stat(path.join(scratch, 'run/two'))).mode & 0o7777).toBe(0o600)
      const archive = Buffer.concat(await (await files.archive('absolute')).toArray())
      expect(execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' })).toContain('./run/two')
      await expect(files.read('../x')).rejects.toEqual(refused)
      await files.remove('absolute/made')
      await files.remove('absolute', { recursive: true })
      expect(await readFile(path.join(scratch, 'run/file'), 'utf8')).toBe('far')
    })
  })
}
