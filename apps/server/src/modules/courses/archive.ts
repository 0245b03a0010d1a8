import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import * as z from 'zod/mini'
import {
  ChapterInput,
  CHAPTERS_MAX,
  COURSE_FILE_MAX_BYTES,
  COURSE_FILES_MAX,
  COURSE_FILES_MAX_BYTES,
  CourseFileName,
  CourseInput,
} from '@flotilla/contract/courses/entity'
import { fail } from '../../fail'
import { BadArchive, readTar, writeTar, type TarEntry } from './tar'

/** Each text has a limit of its own; all of them together are small compared to the files. */
const UNPACKED_MAX_BYTES = COURSE_FILES_MAX_BYTES + 16 * 1024 * 1024

const Manifest = z.extend(CourseInput, {
  format: z.literal('flotilla-course', 'is not a course'),
  version: z.literal(1, 'was made by a newer version of Flotilla'),
  chapters: z
    .array(z.object({ title: ChapterInput.shape.title, file: z.string() }))
    .check(z.maxLength(CHAPTERS_MAX, `A course can have at most ${CHAPTERS_MAX} chapters`)),
})

export type PackedCourse = CourseInput & {
  chapters: { title: string; markdown: string }[]
  files: TarEntry[]
}

export async function packCourse({ chapters, files, ...course }: PackedCourse): Promise<Uint8Array> {
  const named = chapters.map(({ title, markdown }, at) => ({
    title,
    markdown,
    file: `chapters/${String(at + 1).padStart(2, '0')}-${slugOf(title)}.md`,
  }))
  const manifest: z.input<typeof Manifest> = {
    format: 'flotilla-course',
    version: 1,
    ...course,
    chapters: named.map(({ title, file }) => ({ title, file })),
  }
  return promisify(gzip)(
    writeTar([
      { name: 'course.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
      ...named.map(({ file, markdown }) => ({ name: file, bytes: Buffer.from(markdown) })),
      ...files.map(({ name, bytes }) => ({ name: `files/${name}`, bytes })),
    ]),
  )
}

export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'course'

const refuse = (message: string): never => fail('bad_input', { message, fields: { archive: message } })

/** An archive is untrusted: its content only ever ends up in the fields of a course. */
export async function unpackCourse(archive: Uint8Array): Promise<PackedCourse> {
  const texts = new Map<string, string>()
  const files: TarEntry[] = []
  for (const { name, bytes } of distinct(await entriesOf(archive))) {
    if (name === 'course.json' || /^chapters\/[^/]+\.md$/.test(name)) texts.set(name, textOf(name, bytes))
    else files.push({ name: fileName(name), bytes: fileBytes(name, bytes) })
  }
  if (files.length > COURSE_FILES_MAX) refuse(`A course can have at most ${COURSE_FILES_MAX} files`)
  if (files.reduce((sum, { bytes }) => sum + bytes.length, 0) > COURSE_FILES_MAX_BYTES) refuse(TOO_LARGE)
  const { format: _format, version: _version, ...manifest } = manifestIn(texts)
  const chapters = manifest.chapters.map(({ title, file }) => {
    const markdown = texts.get(file) ?? refuse(`${file} is missing`)
    const chapter = ChapterInput.safeParse({ title, markdown })
    return chapter.data ?? refuse(`${file}: ${chapter.error?.issues[0]?.message ?? 'is invalid'}`)
  })
  return { ...manifest, chapters, files }
}

const TOO_LARGE = `The files of a course can have at most ${COURSE_FILES_MAX_BYTES / 1024 / 1024} MB in total`

async function entriesOf(archive: Uint8Array): Promise<TarEntry[]> {
  try {
    const unpacked = await promisify(gunzip)(archive, { maxOutputLength: UNPACKED_MAX_BYTES })
    // Files that macOS adds are left out.
    return readTar(unpacked).filter(({ name }) => !/(^|\/)(\._[^/]*|\.DS_Store)$/.test(name))
  } catch (error) {
    if (error instanceof BadArchive) return refuse(error.message)
    const { code } = error as NodeJS.ErrnoException // Border: zlib errors have a code.
    return refuse(code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : 'This is not a .tar.gz archive')
  }
}

function distinct(entries: TarEntry[]): TarEntry[] {
  const names = new Set<string>()
  for (const { name } of entries) {
    if (names.has(name)) refuse(`The archive contains ${name} twice`)
    names.add(name)
  }
  return entries
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? refuse(`${name} is not a text file`) : text
  } catch {
    return refuse(`${name} is not UTF-8 text`)
  }
}

function fileName(path: string): string {
  const name = /^files\/([^/]+)$/.exec(path)?.[1]
  return (
    CourseFileName.safeParse(name).data ??
    refuse(`The archive contains ${path}, which is not part of a course`)
  )
}

const fileBytes = (name: string, bytes: Uint8Array): Uint8Array =>
  bytes.length > 0 && bytes.length <= COURSE_FILE_MAX_BYTES
    ? bytes
    : refuse(`${name} is ${bytes.length === 0 ? 'empty' : 'too large'}`)

function manifestIn(texts: Map<string, string>): z.output<typeof Manifest> {
  const text = texts.get('course.json') ?? refuse('The archive has no course.json')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refuse('course.json is not valid JSON')
  }
  const manifest = Manifest.safeParse(json)
  const [issue] = manifest.error?.issues ?? []
  return manifest.data ?? refuse(`course.json: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
}
