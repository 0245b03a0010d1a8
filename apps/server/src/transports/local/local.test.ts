import { afterAll, describe, expect, it } from 'vitest'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testFolder } from '../../../test/support/folder'
import { testLocal } from '../../../test/support/machines/local'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'
import { transportBehaviors } from '../../../test/support/behaviors/transports/transport'

const local = testLocal()
afterAll(() => local.close())

transportBehaviors('local', () => local)

describe('local: settings', () => {
  it('apply to every command: variables, path and the command to enter', async () => {
    const set = testLocal({
      path: '/bin:/usr/bin',
      env: { SITE: 'here' },
      enter: ['env', 'ENTERED=yes'],
    })
    const { stdout } = await set.exec(['sh', '-c', 'echo $SITE $ENTERED $PATH'], { timeoutMs: 10_000 })
    expect(stdout).toBe('here yes /bin:/usr/bin\n')
  })

  it('reject an invalid command or root', async () => {
    await expect(local.exec([], { timeoutMs: 1_000 })).rejects.toMatchObject({ reason: 'bad name' })
    await expect(local.exec(['echo', 'a\0b'], { timeoutMs: 1_000 })).rejects.toMatchObject({
      reason: 'bad name',
    })
    expect(() => local.files('relative/root')).toThrow('must begin with')
  })
})

describe('local: terminal', () => {
  it('reads only the terminal’s name from the pipe', async () => {
    const terminal = await local.shell({ cols: 80, rows: 24 })
    let screen = ''
    terminal.onData((data) => (screen += data.toString()))
    // Takes the pipe, which is still open in the shell's parent, by pidfd_open and pidfd_getfd. Some systems deny that.
    const take = '$p = syscall(434, $ARGV[0] + 0, 0); $f = syscall(438, $p, 3, 0); exit 2 if $f < 0;'
    const write = '$SIG{PIPE} = "IGNORE"; open(F, ">&=", $f); exit(syswrite(F, "x") ? 0 : 1)'
    terminal.write(`perl -e '${take} ${write}' $PPID; echo wri"tten" $?\r`)
    expect((await until(() => /written (\d)\r/.exec(screen)))[1]).not.toBe('0')
    await terminal.kill()
  })
})

describe('local: races', () => {
  soakIt('never reads or removes files outside while folders are swapped for links', async () => {
    const root = await testFolder()
    const inside = path.join(root, 'inside')
    const outside = path.join(root, 'outside')
    await mkdir(path.join(inside, 'folder/sub'), { recursive: true })
    await mkdir(path.join(outside, 'sub'), { recursive: true })
    await writeFile(path.join(inside, 'folder/sub/file'), 'mine')
    await writeFile(path.join(outside, 'sub/file'), 'secret')
    await symlink('../outside', path.join(inside, 'trap'))
    const files = local.files(inside)
    const over = new AbortController()
    const swapping = (async () => {
      while (!over.signal.aborted) {
        await rename(path.join(inside, 'folder'), path.join(inside, 'kept'))
        await rename(path.join(inside, 'trap'), path.join(inside, 'folder'))
        await rename(path.join(inside, 'folder'), path.join(inside, 'trap'))
        await rename(path.join(inside, 'kept'), path.join(inside, 'folder'))
      }
    })()
    let read = 0
    for (let count = 0; count < 400; count++) {
      const text = await files.readText('folder/sub/file', { maxBytes: 100 }).catch(() => undefined)
      expect(text).not.toBe('secret')
      if (text === 'mine') read++
      await files.write('folder/sub/new', 'x', { how: 0 }).catch(() => undefined)
      await files.remove('folder/sub/new').catch(() => undefined)
    }
    over.abort()
    await swapping
    expect(read).toBeGreaterThan(0)
    expect(await readFile(path.join(outside, 'sub/file'), 'utf8')).toBe('secret')
    await expect(readFile(path.join(outside, 'sub/new'))).rejects.toThrow('ENOENT')
  })

  it('never reads, writes or removes files outside while the root itself is swapped for a link', async () => {
    const home = await testFolder()
    const outside = path.join(home, 'outside')
    for (const folder of ['jobs/one', 'outside/one', 'outside/sub'])
      await mkdir(path.join(home, folder), { recursive: true })
    for (const folder of ['jobs/one', 'outside/one', 'outside/sub'])
      await writeFile(path.join(home, folder, 'file'), folder === 'jobs/one' ? 'mine' : 'secret')
    const swaps = [
      { name: 'jobs/one', trap: '../outside/one' },
      { name: 'jobs', trap: 'outside' },
    ]
    for (const { name, trap } of swaps) {
      const at = path.join(home, name)
      const [link, kept] = [path.join(home, 'link'), path.join(home, 'kept')]
      await symlink(trap, link)
      const over = new AbortController()
      const swapping = (async () => {
        while (!over.signal.aborted) {
          await rename(at, kept)
          await rename(link, at)
          await rename(at, link)
          await rename(kept, at)
        }
      })()
      const files = local.files(home, 'jobs/one')
      let read = 0
      for (let count = 0; count < 200; count++) {
        const text = await files.readText('file', { maxBytes: 100 }).catch(() => undefined)
        expect(text).not.toBe('secret')
        if (text === 'mine') read++
        await files.write('new', 'x', { how: 0 }).catch(() => undefined)
        await files.remove('new').catch(() => undefined)
        await local
          .files(home, 'jobs')
          .remove('sub', { recursive: true })
          .catch(() => undefined)
      }
      over.abort()
      await swapping
      await rm(link)
      expect(read, name).toBeGreaterThan(0)
      expect(
        (await readdir(path.join(outside, 'one'))).concat(await readdir(path.join(outside, 'sub'))),
      ).toEqual(['file', 'file'])
    }
  })
})
