import {
  CHAPTERS_MAX,
  COURSE_FILES_MAX,
  COURSE_FILES_MAX_BYTES,
  CourseFileName,
  NO_SUCH_APP,
  type Chapter,
  type ChapterInput,
  type Course,
  type CourseFile,
  type CourseInput,
  type CourseSummary,
} from '@flotilla/contract/courses/entity'
import type { Page } from '@flotilla/contract/lists'
import { changesOf } from '../../changes'
import type { Database, Queryable, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { pictureType } from '../../picture-type'
import { record, subjectOf } from '../activities/activities'
import { finders, makeShare, notifyPeople, peopleOf, viewerOf, visiblePage } from '../sharing/sharing'
import { packCourse, slugOf, unpackCourse } from './archive'
import * as store from './store'
import { asChapter, asSummary, columnsOf, courseOf } from './view'

/** The names of the workshops that use a course, and their participants. */
export type CourseUses = (
  db: Queryable,
  courseId: string,
) => Promise<{ workshops: string[]; participantIds: string[] }>

/** Returns the IDs that are not of an app that the user can read. */
export type UnknownApps = (me: Caller, ids: string[]) => Promise<string[]>

type Options = { db: Database; usesOf: CourseUses; unknownApps: UnknownApps; now: () => number }

export type Courses = ReturnType<typeof makeCourses>
export function makeCourses({ db, usesOf, unknownApps, now }: Options) {
  const coursesIn = (on: Queryable) => finders('course', (id, viewer) => store.find(on, id, viewer))
  const { find } = coursesIn(db.kysely)
  const view = async (me: Caller, id: string): Promise<Course> => courseOf(db.kysely, await find(me, id), me)

  /** Notifies everyone who can see the course, and these people, that it changed. */
  const touch = async (tx: Transaction, course: store.FoundCourse, people: string[] = []): Promise<void> => {
    const { participantIds } = await usesOf(tx, course.id)
    await notifyPeople(tx, 'courses', [...peopleOf(course), ...people, ...participantIds])
    await store.update(tx, course.id, { updated_at: new Date(now()) })
  }
  /** Changes a course if the user may change it, and notifies everyone who can see it. */
  const change = <Result>(
    me: Caller,
    id: string,
    context: RequestContext,
    work: (tx: Transaction, course: store.FoundCourse) => Promise<Result>,
  ): Promise<Result> =>
    context.transaction(async (tx) => {
      if (!(await store.lock(tx, id))) fail('not_found')
      const course = await coursesIn(tx).mine(me, id, context)
      await touch(tx, course)
      return work(tx, course)
    })
  const edited = (
    tx: Transaction,
    me: Caller,
    context: RequestContext,
    course: store.FoundCourse,
    detail: string,
  ) => record(tx, me, context, { action: 'edited', subject: subjectOf('course', course), detail })

  const requireChapter = async (on: Queryable, courseId: string, id: string) =>
    (await store.chapter(on, courseId, id)) ?? fail('not_found')

  /** Only added apps are checked: an app that was deleted since it was chosen must not block other changes. */
  const checkApps = async (me: Caller, added: string[]) => {
    if ((await unknownApps(me, added)).length > 0) fail('bad_input', { fields: { appIds: NO_SUCH_APP } })
  }

  const insert = async (tx: Transaction, me: Caller, input: CourseInput): Promise<string> => {
    const id = newId()
    const at = new Date(now())
    await store.insert(tx, { id, owner_id: me.id, ...columnsOf(input), created_at: at, updated_at: at })
    await notifyPeople(tx, 'courses', [me.id])
    return id
  }
  const addChapters = async (tx: Transaction, courseId: string, from: number, added: ChapterInput[]) => {
    const rows = added.map(({ title, markdown }, at) => ({
      id: newId(),
      course_id: courseId,
      position: from + at + 1,
      title,
      markdown,
      updated_at: new Date(now()),
    }))
    if (rows.length > 0) await store.insertChapters(tx, rows)
    return rows
  }

  return {
    view,
    /** Whether the user may use the course in a workshop. */
    mayUse: async (me: Caller, id: string): Promise<boolean> =>
      (await store.find(db.kysely, id, viewerOf(me))) !== undefined,

    async list(me: Caller, page: Page): Promise<{ items: CourseSummary[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      return { items: items.map((row) => asSummary(row, me)), next }
    },

    async create(me: Caller, input: CourseInput, context: RequestContext): Promise<Course> {
      await checkApps(me, input.appIds)
      const id = await context.transaction(async (tx) => {
        const created = await insert(tx, me, input)
        const subject = { kind: 'course' as const, id: created, name: input.name }
        await record(tx, me, context, { action: 'created', subject })
        return created
      })
      return view(me, id)
    },

    async update(me: Caller, id: string, input: CourseInput, context: RequestContext): Promise<Course> {
      await change(me, id, context, async (tx, course) => {
        await checkApps(
          me,
          input.appIds.filter((app) => !course.app_ids.includes(app)),
        )
        await store.update(tx, id, columnsOf(input))
        const subject = { kind: 'course' as const, id, name: input.name }
        await record(tx, me, context, {
          action: 'edited',
          subject,
          changes: changesOf(course, columnsOf(input)),
        })
      })
      return view(me, id)
    },

    setCollaborators: makeShare('courses', {
      mine: coursesIn(db.kysely).mine,
      view,
      notify: (tx, course, { people }) => touch(tx, course, people),
    }),

    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      await change(me, id, context, async (tx, course) => {
        const { workshops } = await usesOf(tx, id)
        if (workshops.length > 0)
          fail('in_use', { message: `Still used by ${workshops.slice(0, 5).join(', ')}` })
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('course', course) })
      })
    },

    async addChapter(me: Caller, id: string, input: ChapterInput, context: RequestContext): Promise<Chapter> {
      return change(me, id, context, async (tx, course) => {
        const chapters = await store.chapters(tx, id)
        if (chapters.length >= CHAPTERS_MAX)
          fail('bad_input', { fields: { title: `A course can have at most ${CHAPTERS_MAX} chapters` } })
        await edited(tx, me, context, course, `chapter ${input.title} added`)
        const [added] = await addChapters(tx, id, chapters.at(-1)?.position ?? 0, [input])
        return added ? asChapter(added) : fail('internal')
      })
    },

    async saveChapter(
      me: Caller,
      id: string,
      chapterId: string,
      { updatedAt, ...input }: ChapterInput & { updatedAt?: number | undefined },
      context: RequestContext,
    ): Promise<Chapter> {
      return change(me, id, context, async (tx, course) => {
        const before = await requireChapter(tx, id, chapterId)
        if (updatedAt !== undefined && updatedAt !== before.updated_at.getTime())
          fail('wrong_state', {
            message: 'This chapter has changed since you opened it',
            extras: { reason: 'changed' },
          })
        // Always later than before, so that two saves at the same moment can be distinguished.
        const updated_at = new Date(Math.max(now(), before.updated_at.getTime() + 1))
        await store.updateChapter(tx, chapterId, { ...input, updated_at })
        await edited(tx, me, context, course, `chapter ${input.title}`)
        return asChapter({ ...before, ...input, updated_at })
      })
    },

    async removeChapter(me: Caller, id: string, chapterId: string, context: RequestContext): Promise<void> {
      await change(me, id, context, async (tx, course) => {
        const { title } = await requireChapter(tx, id, chapterId)
        await store.removeChapter(tx, chapterId)
        await edited(tx, me, context, course, `chapter ${title} deleted`)
      })
    },

    async orderChapters(me: Caller, id: string, ids: string[], context: RequestContext): Promise<Course> {
      await change(me, id, context, async (tx, course) => {
        const there = (await store.chapters(tx, id)).map((chapter) => chapter.id)
        if (there.toSorted().join() !== ids.toSorted().join())
          fail('bad_input', { fields: { chapters: 'must name every chapter of the course once' } })
        await store.orderChapters(tx, id, ids)
        await edited(tx, me, context, course, 'order of chapters')
      })
      return view(me, id)
    },

    async putFile(
      me: Caller,
      id: string,
      given: string,
      bytes: Uint8Array,
      context: RequestContext,
    ): Promise<CourseFile> {
      const parsed = CourseFileName.safeParse(given)
      const problem =
        parsed.error?.issues[0]?.message ?? (bytes.length === 0 ? 'The file is empty' : undefined)
      if (problem) fail('bad_input', { fields: { name: problem }, message: problem })
      const name = parsed.data ?? given
      return change(me, id, context, async (tx, course) => {
        const picture = pictureType(bytes)
        await store.putFile(tx, { course_id: id, name, picture, bytes: Buffer.from(bytes) })
        const files = await store.files(tx, id)
        if (files.length > COURSE_FILES_MAX)
          fail('too_large', { message: `A course can have at most ${COURSE_FILES_MAX} files` })
        if (files.reduce((sum, { size }) => sum + size, 0) > COURSE_FILES_MAX_BYTES)
          fail('too_large', {
            message: `The files of a course can have at most ${COURSE_FILES_MAX_BYTES / 1024 / 1024} MB in total`,
          })
        await edited(tx, me, context, course, `file ${name}`)
        return { name, size: bytes.length, picture }
      })
    },

    async removeFile(me: Caller, id: string, name: string, context: RequestContext): Promise<void> {
      await change(me, id, context, async (tx, course) => {
        if (!(await store.removeFile(tx, id, name))) fail('not_found')
        await edited(tx, me, context, course, `file ${name} deleted`)
      })
    },

    async export(me: Caller, id: string) {
      const course = await view(me, id)
      const files = await store.fileContents(db.kysely, id)
      const { name, description, templateId, appIds, chapters } = course
      const content = await packCourse({ name, description, templateId, appIds, chapters, files })
      return { name: `${slugOf(name)}.course.tar.gz`, content }
    },

    async import(me: Caller, archive: Uint8Array, context: RequestContext): Promise<Course> {
      const { chapters, files, ...packed } = await unpackCourse(archive)
      // Another site may have apps that this one does not.
      const unknown = await unknownApps(me, packed.appIds)
      const input = { ...packed, appIds: packed.appIds.filter((one) => !unknown.includes(one)) }
      const id = await context.transaction(async (tx) => {
        const created = await insert(tx, me, input)
        await addChapters(tx, created, 0, chapters)
        for (const { name, bytes } of files)
          await store.putFile(tx, {
            course_id: created,
            name,
            picture: pictureType(bytes),
            bytes: Buffer.from(bytes),
          })
        const subject = { kind: 'course' as const, id: created, name: input.name }
        await record(tx, me, context, { action: 'imported', subject })
        return created
      })
      return view(me, id)
    },
  }
}
