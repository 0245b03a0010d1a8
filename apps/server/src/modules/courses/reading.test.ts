import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { courses } from '@flotilla/contract/courses/courses'
import type { ReaderPart } from '@flotilla/contract/courses/entity'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { testApp, type TestApp } from '../../../test/support/app/app'

const SECRET = 'only-those-who-answered-know-this'
const QUIZ = `\`\`\`quiz\nWhich one?\n- [ ] left\n- [x] right\n> ${SECRET}\n\`\`\``
const OPEN = '```quiz\nWhat do you expect?\n```'

let server: TestApp
let maria: { id: string; token: string }
let grace: { id: string; token: string }
let courseId: string
let chapter: string
let other: string
let training: { id: string; sessionCode: string }
beforeAll(async () => {
  server = await testApp()
  maria = await server.person('maria', ['instructor', 'user'])
  grace = await server.person('grace', ['instructor'])
  courseId = await newCourse('Read together')
  chapter = await newChapter(courseId, `${QUIZ}\n\n${OPEN}\n\n![plot](files/a.png)`)
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  await server.must(courses.putFile, { id: courseId, name: 'a.png', bytes }, { token: maria.token })
  other = await newCourse('Not for them')
  await newChapter(other, 'text')
  training = await newWorkshop('First', courseId)
})
afterAll(() => server.close())

const newCourse = async (name: string) =>
  (await server.must(courses.create, { body: { name } }, { token: maria.token })).id
const newChapter = async (id: string, markdown: string) =>
  (await server.must(courses.addChapter, { id, body: { title: 'One', markdown } }, { token: maria.token })).id
const newWorkshop = async (name: string, course: string) => {
  const { id, data } = await server.must(
    trainings.create,
    { body: { name, data: { courseId: course, seats: 5, twoStep: false } } },
    { token: maria.token },
  )
  return { id, sessionCode: data.sessionCode }
}
let people = 0
/** Someone who joins a workshop with its code. */
async function participant({ sessionCode }: { sessionCode: string }): Promise<string> {
  const [fullName, email] = [`Pupil ${++people}`, `pupil${people}@example.org`]
  await server.must(trainingLogin.register, { body: { fullName, sessionCode, participantEmail: email } })
  return (await server.must(trainingLogin.login, { body: { fullName, email, sessionCode } })).token
}
const read = (token: string) => server.must(courses.readChapter, { id: courseId, chapter }, { token })
const quizzesIn = (parts: ReaderPart[]) => parts.flatMap((part) => (part.kind === 'quiz' ? [part.quiz] : []))
const answer = (token: string, quiz: string, given: string[]) =>
  server.answer(courses.answer, { id: courseId, chapter, quiz, body: { answer: given } }, { token })
const progress = (token: string, trainingId = training.id) =>
  server.answer(courses.progress, { id: courseId, query: { trainingId } }, { token })

describe('a participant', () => {
  it('reads the course of their workshop, its chapters and files, and nothing else', async () => {
    const token = await participant(training)
    const outline = await server.must(courses.outline, { id: courseId }, { token })
    expect(outline).toMatchObject({
      name: 'Read together',
      trainingId: training.id,
      chapters: [{ doneAt: null }],
    })
    const file = await server.answer(courses.file, { id: courseId, name: 'a.png' }, { token })
    expect(file.status).toBe(200)
    expect((await server.refused(courses.outline, { id: other }, { token })).status).toBe(404)
    expect((await server.refused(courses.list, {}, { token })).status).toBe(403)
    expect((await server.refused(courses.view, { id: courseId }, { token })).status).toBe(403)
    expect((await server.refused(courses.export, { id: courseId }, { token })).status).toBe(403)
    expect((await progress(token)).status).toBe(403)
    const elsewhere = await participant(await newWorkshop('Other', other))
    expect((await server.refused(api.courses.outline, { id: courseId }, { token: elsewhere })).status).toBe(
      404,
    )
  })

  it('gets the right answer by answering, which is possible once', async () => {
    const token = await participant(training)
    const before = await server.answer(courses.readChapter, { id: courseId, chapter }, { token })
    expect(before.text).not.toContain(SECRET)
    const [choice, open] = quizzesIn(before.json)
    const [first, second] = await Promise.all([
      answer(token, choice?.id ?? '', ['left']),
      answer(token, choice?.id ?? '', ['right']),
    ])
    expect(new Set([first?.status, second?.status])).toEqual(new Set([200, 409]))
    expect((await answer(token, open?.id ?? '', ['Much'])).json).toMatchObject({ correct: null })
    const after = quizzesIn(await read(token))
    expect(after[0]?.result).toMatchObject({ right: ['right'], explanation: SECRET })
    // Another participant does not see the result.
    expect(quizzesIn(await read(await participant(training)))[0]?.result).toBeNull()
  })
})

describe('progress', () => {
  it('is recorded per participant, for the instructors of the workshop', async () => {
    const token = await participant(training)
    const mark = (body: { done?: boolean }) =>
      server.must(courses.markChapter, { id: courseId, chapter, body }, { token })
    const opened = await mark({})
    expect(opened.chapters[0]).toMatchObject({ doneAt: null, openedAt: expect.any(Number) as number })
    const done = await mark({ done: true })
    expect(done.chapters[0]?.openedAt).toBe(opened.chapters[0]?.openedAt)
    expect(done.chapters[0]?.doneAt).toEqual(expect.any(Number))
    expect((await mark({})).chapters[0]?.doneAt).toBe(done.chapters[0]?.doneAt)
    expect((await mark({ done: false })).chapters[0]?.doneAt).toBeNull()
    const [choice] = quizzesIn(await read(token))
    await answer(token, choice?.id ?? '', ['right'])

    const { json } = await progress(maria.token)
    expect(json.at(-1)).toMatchObject({
      name: `Pupil ${people}`,
      chapters: [{ id: chapter, doneAt: null }],
      answers: [{ chapterId: chapter, question: 'Which one?', answer: ['right'], correct: true }],
    })
    expect((await progress(grace.token)).status).toBe(404)
    expect((await progress(maria.token, 'no-such-workshop')).status).toBe(404)
  })
})

describe('a workshop', () => {
  it('accepts only a course that its instructor may use, and prevents its deletion', async () => {
    const body = { name: 'Theirs', data: { courseId } }
    const refused = await server.refused(api.trainings.create, { body }, { token: grace.token })
    expect(refused).toMatchObject({
      fields: { 'data.courseId': 'No such course, or it is not shared with you' },
    })
    const kept = await server.refused(courses.remove, { id: courseId }, { token: maria.token })
    expect(kept).toMatchObject({ status: 409, message: 'Still used by First' })
  })
})
