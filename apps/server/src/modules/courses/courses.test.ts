import { requestOf } from '@flotilla/client/request'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { courses } from '@flotilla/contract/courses/courses'
import { CHAPTERS_MAX, NO_SUCH_APP, type Course } from '@flotilla/contract/courses/entity'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { soakIt } from '../../../test/support/soak'

type Person = { id: string; token: string; username: string }
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')
const SECRET = 'only-those-who-answered-know-this'
const QUIZ = `# Jobs\n\n\`\`\`quiz\nWhich one?\n- [ ] left\n- [x] right\n> ${SECRET}\n\`\`\`\n\nMore`

let server: TestApp
let admin: Person
let maria: Person
let grace: Person
let ada: Person
let pupil: Person
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('chief', ['admin'])
  maria = await server.person('maria', ['instructor', 'user'])
  grace = await server.person('grace', ['instructor'])
  ada = await server.person('adalove', ['user'])
  pupil = await server.person('pupil', ['participant'])
})
afterAll(() => server.close())

const as = ({ token }: Person) => ({ token })
const create = (name = 'First steps'): Promise<Course> =>
  server.must(courses.create, { body: { name } }, as(maria))
const addChapter = (id: string, markdown: string, title = 'One') =>
  server.must(courses.addChapter, { id, body: { title, markdown } }, as(maria))
const putFile = (id: string, name: string, bytes: Buffer, person = maria) =>
  server.answer(courses.putFile, { id, name, bytes }, as(person))
const file = async (id: string, name: string, person: Person) =>
  (await server.answer(courses.file, { id, name }, as(person))).status

describe('a course', () => {
  it('is created, edited, put in order and deleted', async () => {
    const { id } = await create()
    const first = await addChapter(id, 'one', 'First')
    const second = await addChapter(id, 'two', 'Second')
    const body = { name: 'Renamed', description: 'd', templateId: 2, appIds: ['desktop'] }
    expect(await server.must(courses.update, { id, body }, as(maria))).toMatchObject(body)
    const ordered = await server.must(
      courses.orderChapters,
      { id, body: { chapters: [second.id, first.id] } },
      as(maria),
    )
    expect(ordered.chapters.map(({ title }) => title)).toEqual(['Second', 'First'])
    await server.must(courses.removeChapter, { id, chapter: second.id }, as(maria))
    const [listed] = await server.must(courses.list, {}, as(maria))
    expect(listed).toMatchObject({ id, name: 'Renamed', chapters: 1, owner: 'maria', mine: true })
    await server.must(courses.remove, { id }, as(maria))
    expect((await server.refused(courses.view, { id }, as(maria))).status).toBe(404)
  })

  it('names the field of bad input', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, '')
    const creating = async (body: Sent<typeof courses.create>['body']) =>
      (await server.refused(courses.create, { body }, as(maria))).fields
    expect(await creating({ name: ' ' })).toEqual({ name: 'Enter a name' })
    expect(await creating({ name: 'x', templateId: 99 })).toHaveProperty('templateId')
    expect(await creating({ name: 'x', appIds: ['gone'] })).toEqual({ appIds: NO_SUCH_APP })
    const body = { title: 'x', markdown: '```quiz\nQ\n- [ ] a\n- [ ] b\n```' }
    const saving = await server.refused(courses.saveChapter, { id, chapter: chapter.id, body }, as(maria))
    expect(saving.fields).toEqual({ markdown: 'Line 1: Mark the correct choice with [x]' })
    const twice = { id, body: { chapters: [chapter.id, chapter.id] } }
    const ordering = await server.refused(courses.orderChapters, twice, as(maria))
    expect(ordering.fields).toHaveProperty('chapters')
  })

  soakIt('has a limit of chapters', async () => {
    const { id } = await create()
    for (let at = 0; at < CHAPTERS_MAX; at++) await addChapter(id, '')
    const body = { title: 'One more' }
    expect(await server.refused(courses.addChapter, { id, body }, as(maria))).toMatchObject({
      status: 400,
      fields: { title: 'A course can have at most 100 chapters' },
    })
  })

  it('is not overwritten by a save that is based on an outdated version', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, 'first')
    const { updatedAt } = chapter
    const saved = (markdown: string) => ({ id, chapter: chapter.id, body: { title: 'One', markdown } })
    const { body, ...at } = saved('second')
    await server.must(courses.saveChapter, { ...at, body: { ...body, updatedAt } }, as(maria))
    const third = saved('third')
    const late = { ...third, body: { ...third.body, updatedAt } }
    expect(await server.refused(courses.saveChapter, late, as(maria))).toMatchObject({
      status: 409,
      reason: 'changed',
    })
    await server.must(courses.saveChapter, third, as(maria))
  })

  it('is recorded in the audit trail', async () => {
    const { id } = await create('Recorded')
    const rows = await server.db.kysely
      .selectFrom('activities')
      .select(['action', 'subject'])
      .where('subject_id', '=', id)
      .execute()
    expect(rows).toEqual([{ action: 'created', subject: 'course Recorded' }])
  })
})

describe('access to a course', () => {
  it('is for its owner, collaborators and admins; only the owner and admins in admin scope can change it', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, QUIZ)
    const read = async (person: Person) =>
      (
        await Promise.all([
          server.answer(courses.view, { id }, as(person)),
          server.answer(courses.outline, { id }, as(person)),
          server.answer(courses.export, { id }, as(person)),
          server.answer(courses.readChapter, { id, chapter: chapter.id }, as(person)),
        ])
      ).map(({ status }) => status)
    expect(await read(grace)).toEqual([404, 404, 404, 404])
    for (const person of [ada, pupil])
      for (const status of await read(person)) expect([403, 404]).toContain(status)
    expect(await read(admin)).toEqual([200, 200, 200, 200])
    await server.must(courses.collaborators, { id, body: { collaborators: ['grace'] } }, as(maria))
    expect(await read(grace)).toEqual([200, 200, 200, 200])
    const at = { id, chapter: chapter.id }
    for (const person of [grace, admin]) {
      const changes = await Promise.all([
        server.refused(courses.update, { id, body: { name: 'Mine now' } }, as(person)),
        server.refused(courses.collaborators, { id, body: { collaborators: [] } }, as(person)),
        server.refused(courses.addChapter, { id, body: { title: 'x' } }, as(person)),
        server.refused(courses.saveChapter, { ...at, body: { title: 'x' } }, as(person)),
        server.refused(courses.orderChapters, { id, body: { chapters: [chapter.id] } }, as(person)),
        server.refused(courses.removeChapter, at, as(person)),
        server.refused(courses.remove, { id }, as(person)),
      ])
      expect(changes.map(({ status }) => status)).toEqual(changes.map(() => 403))
    }
    expect((await putFile(id, 'a.png', PNG, grace)).status).toBe(403)
    const renamed = { id, body: { name: 'Admin was here' } }
    await server.must(courses.update, renamed, { ...as(admin), admin: true })
  })

  it('does not include chapters of other courses', async () => {
    const [one, other] = [await create('One'), await create('Other')]
    const chapter = await addChapter(one.id, 'text')
    const at = { id: other.id, chapter: chapter.id }
    const saving = await server.refused(courses.saveChapter, { ...at, body: { title: 'x' } }, as(maria))
    expect(saving.status).toBe(404)
    expect((await server.refused(courses.readChapter, at, as(maria))).status).toBe(404)
  })
})

describe('a quiz', () => {
  it('is sent to readers without its right answers and its explanation', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, QUIZ)
    const at = { id, chapter: chapter.id }
    const { text, json } = await server.answer(courses.readChapter, at, as(maria))
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('[x]')
    expect(json).toMatchObject([
      { kind: 'text' },
      { kind: 'quiz', quiz: { kind: 'one', choices: ['left', 'right'], result: null } },
      { kind: 'text', text: '\nMore' },
    ])
    // A reader outside a workshop gets the result, and nothing is stored.
    const quiz = json.flatMap((part) => (part.kind === 'quiz' ? [part.quiz.id] : []))[0] ?? ''
    const answered = (answer: string[], of = quiz) => ({ ...at, quiz: of, body: { answer } })
    expect(await server.must(courses.answer, answered(['left']), as(maria))).toMatchObject({
      correct: false,
      right: ['right'],
      explanation: SECRET,
    })
    expect(await server.must(courses.answer, answered(['right']), as(maria))).toMatchObject({ correct: true })
    for (const wrong of [['neither'], ['left', 'right']])
      expect((await server.refused(courses.answer, answered(wrong), as(maria))).status).toBe(400)
    const unknown = answered(['left'], `${quiz}0`)
    expect((await server.refused(courses.answer, unknown, as(maria))).status).toBe(404)
  })
})

describe('a file of a course', () => {
  it('is served as a sandboxed download, whatever its name and content', async () => {
    const { id } = await create()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    expect((await putFile(id, 'Plot 1.png', PNG)).json).toEqual({
      name: 'Plot 1.png',
      size: PNG.length,
      picture: 'image/png',
    })
    expect((await putFile(id, 'evil.png', svg)).json).toMatchObject({ picture: null })
    expect((await putFile(id, 'evil.html', Buffer.from('<script>alert(1)</script>'))).json).toMatchObject({
      picture: null,
    })
    for (const name of ['Plot 1.png', 'evil.png', 'evil.html']) {
      const { headers } = await server.answer(courses.file, { id, name }, as(maria))
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      expect(headers['content-disposition']).toMatch(/^attachment;/)
    }
    expect(await file(id, 'evil.png', grace)).toBe(404)
    expect(await file(id, 'evil.png', pupil)).toBe(404)
    await server.must(courses.removeFile, { id, name: 'evil.png' }, as(maria))
    expect(await file(id, 'evil.png', maria)).toBe(404)
  })

  it('needs a plain name and content, and must fit within the limits', async () => {
    const { id } = await create()
    for (const name of ['..', '.ssh', 'a/b', 'a\\b', '-rf', 'a\nb', 'x'.repeat(81), 'end.', 'ü'.repeat(60)]) {
      const { status, text } = await putFile(id, name, PNG)
      expect([400, 404], `${name} ${text}`).toContain(status)
    }
    expect((await putFile(id, 'empty', Buffer.alloc(0))).status).toBe(400)
    const big = Buffer.alloc(8 * 1024 * 1024)
    expect((await putFile(id, 'big', Buffer.alloc(big.length + 1))).status).toBe(413)
    for (const name of ['a', 'b', 'c', 'd']) expect((await putFile(id, name, big)).status).toBe(200)
    expect((await putFile(id, 'e', PNG)).status).toBe(413)
    expect((await server.must(courses.view, { id }, as(maria))).files.map(({ name }) => name)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ])
  })
})

describe('import and export', () => {
  const upload = async (archive: Buffer, person = maria) => {
    const form = new FormData()
    form.append('archive', new Blob([new Uint8Array(archive)]), 'course.tar.gz')
    const request = new Response(form)
    return server.call('POST', courses.import.path, {
      as: person.token,
      raw: Buffer.from(await request.arrayBuffer()),
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
    })
  }

  it('transfer a course to another user unchanged', async () => {
    const { id } = await create('Travels')
    await server.must(
      courses.update,
      { id, body: { name: 'Travels', description: 'far', templateId: 1 } },
      as(maria),
    )
    await addChapter(id, QUIZ)
    await putFile(id, 'plot.png', PNG)
    const { rawPayload } = await server.app.http.inject({
      url: requestOf(courses.export, { id }, {}).url,
      headers: { authorization: `Bearer ${maria.token}` },
    })
    const imported = await upload(rawPayload, grace)
    expect(imported.status, imported.text).toBe(201)
    expect(imported.json).toMatchObject({
      name: 'Travels',
      description: 'far',
      templateId: 1,
      owner: 'grace',
      chapters: [{ title: 'One', markdown: QUIZ }],
      files: [{ name: 'plot.png', picture: 'image/png', size: PNG.length }],
    })
  })

  it('refuse a file that is not a course, with an error on its field', async () => {
    expect(await upload(Buffer.from('no archive'))).toMatchObject({
      status: 400,
      json: { fields: { archive: 'This is not a .tar.gz archive' } },
    })
    const { status } = await server.call('POST', courses.import.path, { as: maria.token, body: {} })
    expect(status).toBe(400)
  })
})
