import type { Database, Queryable } from '../../db/database'
import type { Bind } from '../../http/bind'
import type { Caller } from '../../http/caller'
import { makeCourses, type CourseUses, type UnknownApps } from './courses'
import { makeReading, type SeatOf } from './reading'
import { bindCourses } from './routes'

type Deps = {
  db: Database
  usesOf: CourseUses
  unknownApps: UnknownApps
  seatOf: SeatOf
  runsWorkshop(db: Queryable, me: Caller, trainingId: string): Promise<boolean>
  now: () => number
}

export type CoursesApi = ReturnType<typeof openCourses>['api']
export function openCourses(deps: Deps) {
  const courses = makeCourses(deps)
  return {
    api: { mayUse: courses.mayUse },
    bind: (bind: Bind) => bindCourses(bind, courses, makeReading(deps)),
  }
}
