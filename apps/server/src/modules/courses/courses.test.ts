import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const bytes = (
  method: string,
  url: string,
  person: Person,
  payload: Buffer,
  type = 'application/octet-stream',
) =>
  server.app.http.inject({
    method: method as 'PUT',
    url,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': type },
    payload,
  })
const putFile = (id: string, name: string, content: Buffer, person = maria) =>
  bytes('PUT', `/api/courses/${id}/files/${encodeURIComponent(name)}`, person, content)
const get = async (url: string, person: Person) =>
  (await server.call('GET', url, { as: person.token })).status
const send = (method: string, url: string, person: Person, body: object = {}, headers = {}) =>
  server.call(method, url, { as: person.token, body, headers })

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
    expect(await get(`/api/courses/${id}`, maria)).toBe(404)
  })

  it('names the field of bad input', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, '')
    const fieldsOf = async (method: string, url: string, body: object) =>
      ((await send(method, url, maria, body)).json as { fields: Record<string, string> }).fields
    expect(await fieldsOf('POST', '/api/courses/', { name: ' ' })).toEqual({ name: 'Enter a name' })
    expect(await fieldsOf('POST', '/api/courses/', { name: 'x', templateId: 99 })).toHaveProperty(
      'templateId',
    )
    expect(await fieldsOf('POST', '/api/courses/', { name: 'x', appIds: ['gone'] })).toEqual({
      appIds: NO_SUCH_APP,
    })
    expect(
      await fieldsOf('PUT', `/api/courses/${id}/chapters/${chapter.id}`, {
        title: 'x',
        markdown: '```quiz\nQ\n- [ ] a\n- [ ] b\n```',
      }),
    ).toEqual({ markdown: 'Line 1: Mark the right choice with [x]' })
    expect(
      await fieldsOf('PUT', `/api/courses/${id}/order`, { chapters: [chapter.id, chapter.id] }),
    ).toHaveProperty('chapters')
  })

  soakIt('has a limit of chapters', async () => {
    const { id } = await create()
    for (let at = 0; at < CHAPTERS_MAX; at++) await addChapter(id, '')
    const { status, json } = await send('POST', `/api/courses/${id}/chapters`, maria, { title: 'One more' })
    expect([status, json]).toMatchObject([
      400,
      { fields: { title: 'A course can have at most 100 chapters' } },
    ])
  })

  it('does not lose what someone else saved meanwhile', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, 'first')
    const url = `/api/courses/${id}/chapters/${chapter.id}`
    const body = { title: 'One', markdown: 'second', updatedAt: chapter.updatedAt }
    expect((await send('PUT', url, maria, body)).status).toBe(200)
    const late = await send('PUT', url, maria, { ...body, markdown: 'third' })
    expect([late.status, late.json]).toMatchObject([409, { reason: 'changed' }])
    expect((await send('PUT', url, maria, { title: 'One', markdown: 'third' })).status).toBe(200)
  })

  it('is on record in the audit trail', async () => {
    const { id } = await create('Recorded')
    const rows = await server.db.kysely
      .selectFrom('activities')
      .select(['action', 'subject'])
      .where('subject_id', '=', id)
      .execute()
    expect(rows).toEqual([{ action: 'created', subject: 'course Recorded' }])
  })
})

describe('who sees a course', () => {
  it('is its owner, those it is shared with and admins; only the owner and admins in admin scope change it', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, QUIZ)
    const reading = ['', '/outline', '/export', `/chapters/${chapter.id}/read`].map(
      (path) => `/api/courses/${id}${path}`,
    )
    for (const url of reading) {
      expect(await get(url, grace), url).toBe(404)
      expect([403, 404], url).toContain(await get(url, ada))
      expect([403, 404], url).toContain(await get(url, pupil))
      expect(await get(url, admin), url).toBe(200)
    }
    await server.must(courses.collaborators, { id, body: { collaborators: ['grace'] } }, as(maria))
    for (const url of reading) expect(await get(url, grace), url).toBe(200)
    const changes: [string, string, object][] = [
      ['PUT', '', { name: 'Mine now' }],
      ['PUT', '/collaborators', { collaborators: [] }],
      ['POST', '/chapters', { title: 'x' }],
      ['PUT', `/chapters/${chapter.id}`, { title: 'x' }],
      ['PUT', '/order', { chapters: [chapter.id] }],
      ['DELETE', `/chapters/${chapter.id}`, {}],
      ['DELETE', '', {}],
    ]
    for (const [method, path, body] of changes) {
      expect((await send(method, `/api/courses/${id}${path}`, grace, body)).status, path).toBe(403)
      expect((await send(method, `/api/courses/${id}${path}`, admin, body)).status, path).toBe(403)
    }
    expect((await putFile(id, 'a.png', PNG, grace)).statusCode).toBe(403)
    const scope = { admin: 'true' }
    expect((await send('PUT', `/api/courses/${id}`, admin, { name: 'Admin was here' }, scope)).status).toBe(
      200,
    )
  })

  it('keeps a chapter to its own course', async () => {
    const [one, other] = [await create('One'), await create('Other')]
    const chapter = await addChapter(one.id, 'text')
    const url = `/api/courses/${other.id}/chapters/${chapter.id}`
    expect((await send('PUT', url, maria, { title: 'x' })).status).toBe(404)
    expect(await get(`${url}/read`, maria)).toBe(404)
  })
})

describe('a quiz', () => {
  it('reaches readers without its right answers and its explanation', async () => {
    const { id } = await create()
    const chapter = await addChapter(id, QUIZ)
    const { text, json } = await server.call('GET', `/api/courses/${id}/chapters/${chapter.id}/read`, {
      as: maria.token,
    })
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('[x]')
    expect(json).toMatchObject([
      { kind: 'text' },
      { kind: 'quiz', quiz: { kind: 'one', choices: ['left', 'right'], result: null } },
      { kind: 'text', text: '\nMore' },
    ])
    // Someone who only looks at the course is told, and nothing is stored.
    const quiz = (json as { quiz?: { id: string } }[])[1]?.quiz?.id ?? ''
    const url = `/api/courses/${id}/chapters/${chapter.id}/quizzes/${quiz}`
    expect((await send('POST', url, maria, { answer: ['left'] })).json).toMatchObject({
      correct: false,
      right: ['right'],
      explanation: SECRET,
    })
    expect((await send('POST', url, maria, { answer: ['right'] })).json).toMatchObject({ correct: true })
    expect((await send('POST', url, maria, { answer: ['neither'] })).status).toBe(400)
    expect((await send('POST', url, maria, { answer: ['left', 'right'] })).status).toBe(400)
    expect((await send('POST', `${url}0`, maria, { answer: ['left'] })).status).toBe(404)
  })
})

describe('a file of a course', () => {
  it('is served as a download without any rights, whatever it claims to be', async () => {
    const { id } = await create()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    expect((await putFile(id, 'Plot 1.png', PNG)).json()).toEqual({
      name: 'Plot 1.png',
      size: PNG.length,
      picture: 'image/png',
    })
    expect((await putFile(id, 'evil.png', svg)).json()).toMatchObject({ picture: null })
    expect((await putFile(id, 'evil.html', Buffer.from('<script>alert(1)</script>'))).json()).toMatchObject({
      picture: null,
    })
    for (const name of ['Plot%201.png', 'evil.png', 'evil.html']) {
      const { headers } = await server.call('GET', `/api/courses/${id}/files/${name}`, { as: maria.token })
      expect(headers).toMatchObject({
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      expect(headers['content-disposition']).toMatch(/^attachment;/)
    }
    expect(await get(`/api/courses/${id}/files/evil.png`, grace)).toBe(404)
    expect(await get(`/api/courses/${id}/files/evil.png`, pupil)).toBe(404)
    await server.must(courses.removeFile, { id, name: 'evil.png' }, as(maria))
    expect(await get(`/api/courses/${id}/files/evil.png`, maria)).toBe(404)
  })

  it('has a plain name, content, and a place in the limits', async () => {
    const { id } = await create()
    for (const name of ['..', '.ssh', 'a/b', 'a\\b', '-rf', 'a\nb', 'x'.repeat(81), 'end.', 'ü'.repeat(60)]) {
      const { statusCode, body } = await putFile(id, name, PNG)
      expect([400, 404], `${name} ${body}`).toContain(statusCode)
    }
    expect((await putFile(id, 'empty', Buffer.alloc(0))).statusCode).toBe(400)
    const big = Buffer.alloc(8 * 1024 * 1024)
    expect((await putFile(id, 'big', Buffer.alloc(big.length + 1))).statusCode).toBe(413)
    for (const name of ['a', 'b', 'c', 'd']) expect((await putFile(id, name, big)).statusCode).toBe(200)
    expect((await putFile(id, 'e', PNG)).statusCode).toBe(413)
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
    return bytes(
      'POST',
      '/api/courses/import',
      person,
      Buffer.from(await request.arrayBuffer()),
      request.headers.get('content-type') ?? '',
    )
  }

  it('bring a course to someone else as it was', async () => {
    const { id } = await create('Travels')
    await server.must(
      courses.update,
      { id, body: { name: 'Travels', description: 'far', templateId: 1 } },
      as(maria),
    )
    await addChapter(id, QUIZ)
    await putFile(id, 'plot.png', PNG)
    const { rawPayload } = await server.app.http.inject({
      url: `/api/courses/${id}/export`,
      headers: { authorization: `Bearer ${maria.token}` },
    })
    const imported = await upload(rawPayload, grace)
    expect(imported.statusCode, imported.body).toBe(201)
    expect(imported.json()).toMatchObject({
      name: 'Travels',
      description: 'far',
      templateId: 1,
      owner: 'grace',
      chapters: [{ title: 'One', markdown: QUIZ }],
      files: [{ name: 'plot.png', picture: 'image/png', size: PNG.length }],
    })
  })

  it('refuse what is not a course, by the field', async () => {
    const { statusCode, body } = await upload(Buffer.from('no archive'))
    expect([statusCode, JSON.parse(body)]).toMatchObject([
      400,
      { fields: { archive: 'This is not a .tar.gz archive' } },
    ])
    expect((await send('POST', '/api/courses/import', maria, {})).status).toBe(400)
  })
})
