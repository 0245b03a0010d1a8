import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../fail'
import { packCourse, unpackCourse } from './archive'
import { readTar, writeTar, type TarEntry } from './tar'

const course = {
  name: 'First steps',
  description: 'On a cluster',
  templateId: 0,
  appIds: ['desktop'],
  chapters: [
    { title: 'Jobs & queues', markdown: '# Jobs\n\n```bash\nsinfo\n```\n' },
    { title: 'Jobs & queues', markdown: 'The same title again' },
  ],
  files: [{ name: 'Übersicht 1.png', bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') }],
}
const manifest = {
  format: 'flotilla-course',
  version: 1,
  name: 'Other',
  chapters: [{ title: 'One', file: 'chapters/one.md' }],
}
const one = { name: 'chapters/one.md', bytes: Buffer.from('Text') }
const packed = (entries: TarEntry[], more: object = {}): Uint8Array =>
  gzipSync(
    writeTar([
      { name: 'course.json', bytes: Buffer.from(JSON.stringify({ ...manifest, ...more })) },
      ...entries,
    ]),
  )
const file = (name: string, text = 'x'): TarEntry => ({ name, bytes: Buffer.from(text) })

async function refusal(archive: Uint8Array): Promise<string> {
  const failure: unknown = await unpackCourse(archive).catch((error: unknown) => error)
  if (!(failure instanceof Failure)) throw new Error('The archive was not refused')
  expect([failure.code, failure.details.fields?.['archive']]).toEqual(['bad_input', failure.message])
  return failure.message
}

describe('an archive of a course', () => {
  it('restores the whole course', async () => {
    expect(await unpackCourse(await packCourse(course))).toEqual(course)
  })

  it('may come from other tools, with folders, extended headers and files that macOS adds', async () => {
    const tar = writeTar([
      { name: './course.json', bytes: Buffer.from(JSON.stringify(manifest)) },
      one,
      file('._course.json'),
      file('files/.DS_Store'),
    ])
    const { name, chapters } = await unpackCourse(gzipSync(tar))
    expect([name, chapters]).toEqual(['Other', [{ title: 'One', markdown: 'Text' }]])
  })

  it.each([
    '../evil',
    '/etc/passwd',
    'files/../../evil',
    'files/sub/evil',
    'files/..',
    'files/.ssh',
    'evil.sh',
    'files/a\\b',
    'chapters/../x.md',
  ])('is refused with a file at %s', async (path) => {
    expect(await refusal(packed([one, file(path)]))).toContain('not part of a course')
  })

  it('is refused with links and devices', async () => {
    for (const type of ['1', '2', '3', '4', '6', 'L']) {
      const tar = Buffer.from(writeTar([file('files/link')]))
      tar.write(type, 156)
      tar.write(octalSum(tar), 148)
      expect(() => readTar(tar), type).toThrow('not a regular file')
    }
  })

  it('is refused when it is not an archive, is damaged or is cut off', async () => {
    expect(await refusal(Buffer.from('not an archive'))).toBe('This is not a .tar.gz archive')
    const tar = writeTar([file('files/a.txt', 'long '.repeat(500))])
    expect(await refusal(gzipSync(tar.subarray(0, 1024)))).toBe('The archive is cut off')
    tar[0] = 0x41
    expect(await refusal(gzipSync(tar))).toBe('The archive is damaged')
  })

  it('is refused without unpacking it in full when it exceeds the limits of a course', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(100_000)
    expect(await refusal(bomb)).toContain('at most 32 MB')
    expect(await refusal(packed([one, file('files/big.bin', 'x'.repeat(9 * 1024 * 1024))]))).toContain(
      'too large',
    )
    const many = Array.from({ length: 201 }, (_none, at) => file(`files/${at}`))
    expect(await refusal(packed([one, ...many]))).toContain('at most 200 files')
  })

  it('is refused with duplicate files, missing chapters or an invalid manifest', async () => {
    expect(await refusal(packed([one, one]))).toContain('twice')
    expect(await refusal(packed([]))).toBe('chapters/one.md is missing')
    expect(await refusal(packed([one], { format: 'zip' }))).toContain('is not a course')
    expect(await refusal(packed([one], { version: 2 }))).toContain('newer version')
    expect(await refusal(packed([one], { templateId: 99 }))).toContain('No such template')
    expect(await refusal(gzipSync(writeTar([file('course.json', '{')])))).toBe(
      'course.json is not valid JSON',
    )
    expect(await refusal(gzipSync(writeTar([one])))).toBe('The archive has no course.json')
    expect(await refusal(packed([file(one.name, '> ```quiz')]))).toContain('Line 1')
    expect(await refusal(packed([{ name: one.name, bytes: Buffer.from([0xff, 0xfe]) }]))).toContain('UTF-8')
  })
})

const octalSum = (tar: Buffer): string => {
  const sum = tar.subarray(0, 512).reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  return `${sum.toString(8).padStart(6, '0')}\0 `
}
