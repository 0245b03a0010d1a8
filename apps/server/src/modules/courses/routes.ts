import { courses as calls } from '@flotilla/contract/courses/courses'
import type { Bind } from '../../http/bind'
import type { Courses } from './courses'
import type { Reading } from './reading'

export function bindCourses(bind: Bind, courses: Courses, reading: Reading): void {
  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await courses.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.view, ({ id }, me) => courses.view(me, id))
  bind(calls.create, ({ body }, me, context) => courses.create(me, body, context))
  bind(calls.update, ({ id, body }, me, context) => courses.update(me, id, body, context))
  bind(calls.collaborators, ({ id, body }, me, context) =>
    courses.setCollaborators(me, id, body.collaborators, context),
  )
  bind(calls.remove, async ({ id }, me, context) => {
    await courses.remove(me, id, context)
    return { id }
  })
  bind(calls.addChapter, ({ id, body }, me, context) => courses.addChapter(me, id, body, context))
  bind(calls.saveChapter, ({ id, chapter, body }, me, context) =>
    courses.saveChapter(me, id, chapter, body, context),
  )
  bind(calls.removeChapter, async ({ id, chapter }, me, context) => {
    await courses.removeChapter(me, id, chapter, context)
    return { id: chapter }
  })
  bind(calls.orderChapters, ({ id, body }, me, context) =>
    courses.orderChapters(me, id, body.chapters, context),
  )
  bind(calls.putFile, ({ id, name, bytes }, me, context) => courses.putFile(me, id, name, bytes, context))
  bind(calls.removeFile, async ({ id, name }, me, context) => {
    await courses.removeFile(me, id, name, context)
    return { message: 'Deleted' }
  })
  bind(calls.export, ({ id }, me) => courses.export(me, id))
  bind(calls.import, ({ body }, me, context) => courses.import(me, body.archive.bytes, context))

  bind(calls.outline, ({ id }, me) => reading.outline(me, id))
  bind(calls.readChapter, ({ id, chapter }, me) => reading.chapter(me, id, chapter))
  bind(calls.file, ({ id, name }, me) => reading.file(me, id, name))
  bind(calls.markChapter, ({ id, chapter, body }, me, context) =>
    reading.mark(me, id, chapter, body.done, context),
  )
  bind(calls.answer, ({ id, chapter, quiz, body }, me, context) =>
    reading.answer(me, id, chapter, quiz, body.answer, context),
  )
  bind(calls.progress, ({ id, query }, me) => reading.progress(me, id, query.trainingId))
}
