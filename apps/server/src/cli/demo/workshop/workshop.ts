import { connect } from '@flotilla/client/client'
import { api } from '@flotilla/contract/api'
import type { Training } from '@flotilla/contract/trainings/entity'
import { course } from './course'
import type { Session, Sessions } from '../session'
import { HOUR_MS, MINUTE_MS } from '../time'

const INSTRUCTOR = 'maria'
const PLACE = 'Nimbus'
const SEATS = 12

/** The participants with the number of chapters they finished; the one with a question has raised a hand. */
const participants = [
  { fullName: 'Hana Kim', email: 'hana.kim@example.org', finished: 2 },
  { fullName: 'Diego Alvarez', email: 'diego.alvarez@example.org', finished: 1, hasQuestion: true },
  { fullName: 'Ingrid Solberg', email: 'ingrid.solberg@example.org', finished: 2 },
  { fullName: 'Kwame Mensah', email: 'kwame.mensah@example.org', finished: 0 },
  { fullName: 'Élodie Martin', email: 'elodie.martin@example.org', finished: 3 },
]

type Reader = { finished: number; hasQuestion?: boolean | undefined }

async function ensureCourse(maria: Session): Promise<string> {
  const known = (await maria(api.courses.list, {})).find(({ name }) => name === course.name)
  if (known) return known.id
  const { chapters, ...about } = course
  const { id } = await maria(api.courses.create, { body: about })
  for (const body of chapters) await maria(api.courses.addChapter, { id, body })
  return id
}

async function ensureTraining(maria: Session, clusterId: string, now: number): Promise<Training> {
  const running = (await maria(api.trainings.list, {})).find(({ state }) => state === 'running')
  if (running) return running
  return maria(api.trainings.create, {
    body: {
      name: course.name,
      description: course.description,
      data: {
        clusterId,
        courseId: await ensureCourse(maria),
        seats: SEATS,
        startTime: now - 40 * MINUTE_MS,
        endTime: now + 7 * HOUR_MS,
        // No one would read the mail with the codes.
        twoStep: false,
      },
    },
  })
}

/** Reads the given number of chapters to the end, answering their quizzes, and opens the next. */
async function read(me: Session, courseId: string, { finished, hasQuestion }: Reader): Promise<void> {
  const { chapters } = await me(api.courses.outline, { id: courseId })
  for (const [index, { id: chapter }] of chapters.slice(0, finished + 1).entries()) {
    const at = { id: courseId, chapter }
    const isFinished = index < finished
    await me(api.courses.markChapter, { ...at, body: { done: isFinished } })
    if (!isFinished) continue
    for (const part of await me(api.courses.readChapter, at))
      if (part.kind === 'quiz' && part.quiz.result === null)
        await me(api.courses.answer, {
          ...at,
          quiz: part.quiz.id,
          // The last choice is the correct one.
          body: { answer: [part.quiz.choices.at(hasQuestion ? 0 : -1) ?? 'My parameter sweep'] },
        })
  }
}

/**
 * Creates a workshop that has been running for a while, with five participants. Returns its code and their user ids.
 */
export async function seedWorkshop(
  url: string,
  session: Sessions,
  clusterIds: Map<string, string>,
  now: number,
): Promise<{ sessionCode: string; userIds: string[] }> {
  const maria = await session(INSTRUCTOR)
  const training = await ensureTraining(maria, clusterIds.get(PLACE) ?? '', now)
  const { sessionCode, courseId } = training.data
  const isNew = training.seatsTaken === 0
  const server = connect(url)
  const userIds: string[] = []
  for (const { fullName, email, finished, hasQuestion } of participants) {
    const { token, user } = await server.call(api.trainingLogin.login, {
      body: { fullName, email, sessionCode },
    })
    userIds.push(user.id)
    const me: Session = (endpoint, input) => server.call(endpoint, input, { token })
    if (isNew && courseId !== null) await read(me, courseId, { finished, hasQuestion })
    if (isNew && hasQuestion) await me(api.trainings.raiseOwnHand, { body: { raised: true } })
  }
  if (isNew)
    await maria(api.trainings.sendMessage, {
      id: training.id,
      body: { text: 'Welcome! Raise your hand whenever something does not work. Coffee is at 10:30.' },
    })
  return { sessionCode, userIds }
}
