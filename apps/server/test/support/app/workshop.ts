import type { Training } from '@flotilla/contract/trainings/entity'
import { trainingLogin } from '@flotilla/contract/trainings/login'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { testApp } from './app'

/** A console with an instructor and an admin, and the calls that they and participants make. */
export async function workshopApp() {
  const app = await testApp({ CLOUD: 'simulated' })
  const instructor = await app.person('teacher', ['instructor'])
  const admin = await app.person('chief', ['admin'])

  const create = (data: {
    seats?: number
    twoStep?: boolean | null
    allowedDomains?: string[]
    startTime?: number
    endTime?: number
    clusterId?: string
  }): Promise<Training> => app.must(calls.create, { body: { name: 'Python', data } }, instructor)
  const login = (training: Training, email: string, fullName = 'Ada Lovelace') =>
    app.must(trainingLogin.login, { body: { fullName, email, sessionCode: training.data.sessionCode } })
  const seatsOf = ({ id }: Training) => app.must(calls.seats, { id }, instructor)
  const codeIn = (email: string): string =>
    /\d{6}/.exec(app.mails.findLast(({ to }) => to === email)?.subject ?? '')?.[0] ?? ''
  /** Carries out a task as the queue does. */
  const runTask = async (name: string, payload: unknown): Promise<void> => {
    const handler = app.app.tasks.find(({ task }) => task.name === name)
    const signal = new AbortController().signal
    await handler?.run(payload, {
      id: '1',
      attempt: 1,
      lastAttempt: false,
      signal,
      log: app.app.http.log as never,
    })
  }
  const runOf = async (trainingId: string): Promise<string> =>
    (
      await app.db.kysely
        .selectFrom('training_runs')
        .select('id')
        .where('training_id', '=', trainingId)
        .where('ended_at', 'is', null)
        .executeTakeFirstOrThrow()
    ).id

  return { app, instructor, admin, create, login, seatsOf, codeIn, runTask, runOf }
}
